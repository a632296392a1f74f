import { markOverdue, previewOverdue } from './markOverdue';
import { recurringExpenses } from './recurringExpenses';
import { recurringInvoices } from './recurringInvoices';
import { isAway, previewSeries, rollSeries } from './rollSeries';
import type { Sweep } from './Sweep';

/**
 * Everything that the calendar brings: recurring expenses and invoices, and overdue invoices. What happened is told to the
 * sweep's observer. Safe to run at any time, any number of times, in any number of processes at once.
 * @throws {ServiceUnavailable} when MySQL is away; what is done by then stays done. {@link Error} in the end when one of the
 * three was given up; the others are done.
 */
export async function runSchedules(sweep: Sweep): Promise<void> {
  const givenUp: unknown[] = [];
  for (const run of [
    () => rollSeries(sweep, recurringExpenses),
    () => rollSeries(sweep, recurringInvoices),
    () => markOverdue(sweep),
  ]) {
    await run().catch((error: unknown) => {
      if (isAway(error)) throw error;
      givenUp.push(error);
    });
  }
  if (givenUp.length > 0) throw givenUp[0];
}

/** The same, told and not done. */
export async function previewSchedules(sweep: Sweep): Promise<void> {
  await previewSeries(sweep, recurringExpenses);
  await previewSeries(sweep, recurringInvoices);
  await previewOverdue(sweep);
}
