import {
  deliveries,
  longRenderQueueName,
  queues as table,
  type QueueName,
  type RedisQueueName,
} from '../config/queues';
import { processRender } from './invoices/renderInvoicePdf';
import type { PdfRenderer } from './pdf/PdfRenderer';
import type { Tools } from './jobs/JobRun';
import { measureEntries } from './jobs/measureEntries';
import { processJob } from './jobs/processJob';
import type { ServedQueue } from './jobs/ServedQueue';
import { shareSlots } from './jobs/shareSlots';
import { registry } from './registry';
import { RestingCompanies } from '../shared/recurrence';
import { runScan } from './schedules/runScan';
import { Dispatcher } from './webhooks/Dispatcher';

/** The queues that this process is configured to serve, with what each needs. `renderer` is null where none are rendered. */
export function servedQueues(tools: Tools, renderer: PdfRenderer | null): ServedQueue[] {
  const { services } = tools;
  const { worker, email, gateway } = services.config;
  const { queues, concurrency } = worker;
  const process = processJob(tools, registry);
  const served: Record<QueueName, () => ServedQueue[]> = {
    email: () => [
      {
        queue: 'email',
        concurrency: concurrency.email,
        ratePerSecond: email.ratePerSecond,
        process: shareSlots(concurrency.email, table.email.costMs, process),
        onOpen: (taker) => tools.mailPause.follow(taker),
      },
    ],
    'payment-link': () => [
      {
        queue: 'payment-link',
        concurrency: concurrency['payment-link'],
        ratePerSecond: gateway.ratePerSecond,
        process: shareSlots(concurrency['payment-link'], table['payment-link'].costMs, process),
      },
    ],
    import: () => [
      {
        queue: 'import',
        concurrency: concurrency.import,
        process: shareSlots(concurrency.import, table.import.costMs, process),
      },
    ],
    pdf: () => {
      if (renderer === null) throw new Error('this worker has no browser');
      const process = measureEntries('pdf', 'renderInvoicePdf', processRender(services, renderer));
      const rendered = (queue: RedisQueueName, slots: number): ServedQueue => ({
        queue,
        concurrency: slots,
        maxStarts: table.pdf.retries.attempts,
        process: shareSlots(slots, table.pdf.costMs, process),
      });
      // Both queues share the slots of one renderer; long renders leave one to the others.
      return [rendered('pdf', concurrency.pdf), rendered(longRenderQueueName, Math.max(1, concurrency.pdf - 1))];
    },
    webhook: () => {
      const places = Math.ceil(concurrency.webhook * deliveries.entriesPerSlot);
      const dispatcher = new Dispatcher(tools, { slots: concurrency.webhook, places });
      return [
        {
          queue: 'webhook',
          concurrency: places,
          lockMs: deliveries.lockMs,
          process: measureEntries('webhook', 'serveEndpoint', (entry) => dispatcher.process(entry)),
        },
      ];
    },
    schedule: () => {
      const resting = new RestingCompanies(services.clock);
      return [
        {
          queue: 'schedule',
          concurrency: concurrency.schedule,
          process: measureEntries('schedule', 'scanCalendar', async ({ draining }) => {
            await runScan(services, draining, resting);
            return { done: null };
          }),
        },
      ];
    },
  };
  return queues.flatMap((queue) => served[queue]());
}
