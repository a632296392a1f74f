import { scanEveryMs } from '../../config/queues';
import type { Services } from '../../shared/services';
import type { RestingCompanies } from '../../shared/recurrence';
import { runSchedules } from '../../shared/schedules';
import { scanSucceeded } from './scanSucceeded';

/**
 * Scans the calendar by the clock, and logs the outcome. Never throws: the next scan continues. Stops between two transactions when
 * `signal` is aborted, or when the next scan is due and every company has had a turn. Skips `restingCompanies`, and adds failing ones.
 */
export async function runScan(
  services: Services,
  signal: AbortSignal,
  restingCompanies?: RestingCompanies,
): Promise<void> {
  const { log } = services;
  const done = { expenses: 0, invoices: 0, overdue: 0, reminders: 0, skippedReminders: 0, failed: 0 };
  try {
    await runSchedules({
      services,
      asOf: null,
      wait: false,
      signal,
      longestMs: scanEveryMs,
      ...(restingCompanies && { restingCompanies }),
      observer: {
        created: (kind) => void (done[`${kind}s`] += 1),
        overdue: () => void (done.overdue += 1),
        reminded: (_companyId, _invoiceId, skipped) =>
          void (done[skipped === null ? 'reminders' : 'skippedReminders'] += 1),
        failed: (subject, error) => {
          done.failed += 1;
          log.error({ err: error, ...subject }, 'a schedule failed; a later scan retries it');
        },
      },
    });
    scanSucceeded(services, 'calendar');
  } catch (error) {
    log.warn({ err: error }, 'the calendar could not be scanned; the next scan continues');
  }
  if (Object.values(done).some((count) => count > 0)) log.info(done, 'the schedules ran');
}
