import {
  deliveries,
  type JobQueueName,
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
import { ratesOf } from './jobs/ProviderRateLimit';
import type { ServedQueue } from './jobs/ServedQueue';
import { shareSlots } from './jobs/shareSlots';
import { registry } from './registry';
import { RestingCompanies } from '../shared/recurrence';
import { runScan } from './schedules/runScan';
import { Dispatcher } from './webhooks/Dispatcher';

/** The queues that this process is configured to serve, with what each needs. `renderer` is null where none are rendered. */
export function servedQueues(tools: Tools, renderer: PdfRenderer | null): ServedQueue[] {
  const { services } = tools;
  const { queues, concurrency } = services.config.worker;
  const rates: Partial<Record<JobQueueName, number>> = ratesOf(services.config);
  const process = processJob(tools, registry);
  const ofRows = (queue: JobQueueName): ServedQueue => ({
    queue,
    concurrency: concurrency[queue],
    ratePerSecond: rates[queue],
    process: shareSlots(concurrency[queue], table[queue].costMs, process),
  });
  const served: Record<QueueName, () => ServedQueue[]> = {
    email: () => [{ ...ofRows('email'), onOpen: (pause) => tools.mailPause.follow(pause) }],
    'payment-link': () => [ofRows('payment-link')],
    import: () => [ofRows('import')],
    pdf: () => {
      if (renderer === null) throw new Error('this worker has no browser');
      // Both queues share the slots of one renderer; long renders leave one to the others.
      const render = measureEntries('pdf', 'renderInvoicePdf', processRender(services, renderer));
      const process = shareSlots(concurrency.pdf, table.pdf.costMs, render);
      const rendered = (queue: RedisQueueName, slots: number): ServedQueue => ({
        queue,
        concurrency: slots,
        maxStarts: table.pdf.retries.attempts,
        process,
      });
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
