import {
  cleanUpEveryMs,
  endpointScanEveryMs,
  linkPolls,
  relay,
  scanEveryMs,
  type QueueName,
} from '../../config/queues';
import { pausedQueues } from '../../shared/engine/jobs';
import { pollPaymentLinks } from '../../shared/paymentLinks';
import { cleanUp } from '../../shared/schedules';
import type { Services } from '../../shared/services';
import { scanEndpoints } from '../webhooks/scanEndpoints';
import { byOneWorker } from './byOneWorker';
import type { ScanName } from './scanSucceeded';

/** Starts the scheduled tasks. Every task is safe in concurrent processes. Returns a function that stops them. */
export function startSchedules(services: Services): () => Promise<void> {
  const start = (name: string, scan: ScanName, everyMs: number, task: () => Promise<unknown>) =>
    repeat(services, name, everyMs, () => byOneWorker(services, scan, everyMs, task));
  const stops = [
    start('relay of the outbox', 'outbox', relay.everyMs, () => services.outbox.relayDue()),
    start('poll of payment links', 'payment-links', linkPolls.everyMs, () =>
      unlessPaused(services, 'payment-link', () => pollPaymentLinks(services)),
    ),
    start('clean-up', 'clean-up', cleanUpEveryMs, () => cleanUp(services)),
  ];
  // A worker that does not serve a queue does not fill it.
  if (services.config.worker.queues.includes('webhook')) {
    const scan = (): Promise<void> => unlessPaused(services, 'webhook', () => scanEndpoints(services));
    stops.push(start('scan of webhook endpoints', 'webhook-endpoints', endpointScanEveryMs, scan));
  }
  if (services.config.worker.queues.includes('schedule')) {
    stops.push(
      repeat(
        services,
        'scan of the calendar',
        scanEveryMs,
        () => unlessPaused(services, 'schedule', () => requestScan(services)),
        { immediately: true },
      ),
    );
  }
  return async () => {
    await Promise.all(stops.map((stop) => stop()));
  };
}

/**
 * Requests a scan of the calendar. All workers request the scan of a time slot under one id: BullMQ keeps one entry while it waits
 * or runs, and gives it to one of them. A scan that a flushed Redis has lost is requested again with the next slot.
 */
async function requestScan({ queues, clock }: Services): Promise<void> {
  const slot = Math.floor(clock.now().getTime() / scanEveryMs);
  await queues.add({ queue: 'schedule', name: 'scan', jobId: `scan-${slot}`, data: {} });
}

/** Repeatedly recorded or queued work would pile up in a paused queue. */
async function unlessPaused({ sql }: Services, queue: QueueName, task: () => Promise<unknown>): Promise<void> {
  if (!(await pausedQueues(sql)).has(queue)) await task();
}

/** Repeats a task, `everyMs` after the end of each run. A failure is logged, and the task continues. */
function repeat(
  { log, databaseClock, sql }: Services,
  name: string,
  everyMs: number,
  task: () => Promise<unknown>,
  { immediately = false } = {},
): () => Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let stopped = false;
  const run = async (): Promise<void> => {
    try {
      await databaseClock.ensureCompared(sql);
      await task();
    } catch (error) {
      log.warn({ err: error, task: name }, 'a scheduled task failed; it is retried');
    }
    if (!stopped) schedule();
  };
  const schedule = (inMs = everyMs): void => {
    timer = setTimeout(() => {
      running = run();
    }, inMs);
  };
  schedule(immediately ? 0 : everyMs);
  return () => {
    stopped = true;
    clearTimeout(timer);
    return running;
  };
}
