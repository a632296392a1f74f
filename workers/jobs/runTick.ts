import type { Services } from '../../shared/services';
import { runSchedules } from '../../shared/usecases/recurrence/runSchedules';

/**
 * Runs the schedules by the clock and logs what came of it. Never throws: the next tick finds what is left, whatever the
 * reason. Stops between two transactions when the worker has to end.
 */
export async function runTick(services: Services, signal: AbortSignal): Promise<void> {
  const { log } = services;
  const done = { expenses: 0, invoices: 0, overdue: 0, failed: 0 };
  try {
    await runSchedules({
      services,
      asOf: null,
      wait: false,
      signal,
      observer: {
        created: (kind) => void (done[`${kind}s`] += 1),
        overdue: () => void (done.overdue += 1),
        failed: (subject, error) => {
          done.failed += 1;
          log.error({ err: error, ...subject }, 'a schedule failed; it is tried again with every tick');
        },
      },
    });
  } catch (error) {
    log.warn({ err: error }, 'the schedules could not be run; the next tick goes on');
  }
  if (Object.values(done).some((count) => count > 0)) log.info(done, 'the schedules ran');
}
