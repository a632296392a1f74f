import { deliveries, longRenderQueueName, retryPolicies, type QueueName } from '../config/queues';
import { processRender } from './invoices/renderInvoicePdf';
import type { PdfRenderer } from './pdf/PdfRenderer';
import type { Tools } from './pool/JobRun';
import { measureEntries } from './pool/measureEntries';
import { processJob } from './pool/processJob';
import type { ServedQueue } from './pool/ServedQueue';
import { registry } from './registry';
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
        process,
        onOpen: (taker) => tools.mailPause.follow(taker),
      },
    ],
    'payment-link': () => [
      {
        queue: 'payment-link',
        concurrency: concurrency['payment-link'],
        ratePerSecond: gateway.ratePerSecond,
        process,
      },
    ],
    pdf: () => {
      if (renderer === null) throw new Error('this worker has no browser');
      const render = {
        process: measureEntries('pdf', 'renderInvoicePdf', processRender(services, renderer)),
        maxStarts: retryPolicies.pdf.attempts,
      };
      // Both queues share the slots of one renderer; long renders leave one to the others.
      return [
        { ...render, queue: 'pdf', concurrency: concurrency.pdf },
        { ...render, queue: longRenderQueueName, concurrency: Math.max(1, concurrency.pdf - 1) },
      ];
    },
    webhook: () => {
      const dispatcher = new Dispatcher(tools, concurrency.webhook);
      return [
        {
          queue: 'webhook',
          concurrency: Math.ceil(concurrency.webhook * deliveries.entriesPerSlot),
          lockMs: deliveries.lockMs,
          process: measureEntries('webhook', 'serveEndpoint', (entry) => dispatcher.process(entry)),
        },
      ];
    },
    schedule: () => [
      {
        queue: 'schedule',
        concurrency: concurrency.schedule,
        process: measureEntries('schedule', 'scanCalendar', async ({ draining }) => {
          await runScan(services, draining);
          return { done: null };
        }),
      },
    ],
  };
  return queues.flatMap((queue) => served[queue]());
}
