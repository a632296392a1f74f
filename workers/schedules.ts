import { relay, tickEveryMs } from '../config/queues';
import type { Services } from '../shared/services';
import { pollPaymentLinks } from '../shared/usecases/payments/pollPaymentLinks';
import { cleanUp } from '../shared/usecases/maintenance/cleanUp';

const POLL_LINKS_EVERY_MS = 60_000;
const CLEAN_UP_EVERY_MS = 10 * 60_000;

/** What runs by the clock. Every task may run in any number of processes at once. Answers how to stop. */
export function startSchedules(services: Services): () => Promise<void> {
  const stops = [
    repeat(services, 'sweep of the outbox', relay.sweepEveryMs, () => services.outbox.sweep()),
    repeat(services, 'poll of payment links', POLL_LINKS_EVERY_MS, () => pollPaymentLinks(services)),
    repeat(services, 'clean-up', CLEAN_UP_EVERY_MS, () => cleanUp(services)),
  ];
  // Only who serves the queue fills it.
  if (services.config.worker.queues.includes('schedule')) {
    stops.push(repeat(services, 'tick of the schedules', tickEveryMs, () => tick(services), { atOnce: true }));
  }
  return async () => {
    await Promise.all(stops.map((stop) => stop()));
  };
}

/**
 * Asks for a run of the schedules. Workers tick together: BullMQ keeps one entry of a time slot while it waits or runs, and
 * gives it to one of them. What a flushed Redis forgets is asked for again with the next slot.
 */
async function tick({ queues, clock }: Services): Promise<void> {
  const slot = Math.floor(clock.now().getTime() / tickEveryMs);
  await queues.add({ queue: 'schedule', name: 'tick', jobId: `tick-${slot}`, data: {} });
}

/** Runs a task again and again, each time `everyMs` after the last has ended; a failure is logged and not the end. */
function repeat(
  { log, databaseClock, sql }: Services,
  name: string,
  everyMs: number,
  task: () => Promise<unknown>,
  { atOnce = false } = {},
): () => Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let stopped = false;
  const run = async (): Promise<void> => {
    try {
      await databaseClock.ensureCompared(sql);
      await task();
    } catch (error) {
      log.warn({ err: error, task: name }, 'a scheduled task failed; it runs again');
    }
    if (!stopped) schedule();
  };
  const schedule = (inMs = everyMs): void => {
    timer = setTimeout(() => {
      running = run();
    }, inMs);
  };
  schedule(atOnce ? 0 : everyMs);
  return () => {
    stopped = true;
    clearTimeout(timer);
    return running;
  };
}
