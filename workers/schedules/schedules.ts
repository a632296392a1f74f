import { endpointScanEveryMs, linkPolls, relay, scanEveryMs, type QueueName } from '../../config/queues';
import { isFirstInSlot, pausedQueues } from '../../shared/engine/jobs';
import type { Services } from '../../shared/services';
import { pollPaymentLinks } from '../../shared/paymentLinks';
import { scanEndpoints } from '../webhooks/scanEndpoints';
import { CLEAN_UP_EVERY_MS, runCleanUp } from './runCleanUp';
import { scanSucceeded, type ScanName } from './scanSucceeded';

/** Starts the scheduled tasks. Every task is safe in concurrent processes. Returns a function that stops them. */
export function startSchedules(services: Services): () => Promise<void> {
  const reported = (scan: ScanName, task: () => Promise<unknown>) => async (): Promise<void> => {
    await task();
    scanSucceeded(services, scan);
  };
  // One of all workers relays, one polls and one scans: concurrent ones would only read the same backlog.
  const byOne = async (what: string, everyMs: number, task: () => Promise<unknown>): Promise<void> => {
    if (await isFirstInSlot(services, what, everyMs)) await task();
  };
  const relayDue = reported('outbox', () => byOne('relay', relay.everyMs, () => services.outbox.relayDue()));
  const pollLinks = reported('payment-links', () =>
    unlessPaused(services, 'payment-link', () =>
      byOne('poll-of-links', linkPolls.everyMs, () => pollPaymentLinks(services)),
    ),
  );
  const stops = [
    repeat(services, 'relay of the outbox', relay.everyMs, relayDue),
    repeat(services, 'poll of payment links', linkPolls.everyMs, pollLinks),
    repeat(services, 'clean-up', CLEAN_UP_EVERY_MS, () => runCleanUp(services)),
  ];
  // A worker that does not serve a queue does not fill it.
  if (services.config.worker.queues.includes('webhook')) {
    const scan = reported('webhook-endpoints', () =>
      unlessPaused(services, 'webhook', () =>
        byOne('scan-of-endpoints', endpointScanEveryMs, () => scanEndpoints(services)),
      ),
    );
    stops.push(repeat(services, 'scan of webhook endpoints', endpointScanEveryMs, scan));
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
