import { markOverdue, previewOverdue, recurringInvoices } from '../invoices';
import { recurringExpenses } from '../expenses';
import { isUnavailable, previewSeries, rollSeries, type Scan } from '../recurrence';

/**
 * Makes due occurrences of recurring expenses and invoices, and marks overdue invoices. Reports to the scan's observer. Safe to
 * run at any time, any number of times, in any number of processes at the same time.
 * @throws {ServiceUnavailable} when MySQL is unavailable; committed work stays. {@link Error} when one of the three schedules
 * gave up; the other two have run.
 */
export async function runSchedules(scan: Scan): Promise<void> {
  const givenUp: unknown[] = [];
  for (const run of [
    () => rollSeries(scan, recurringExpenses),
    () => rollSeries(scan, recurringInvoices),
    () => markOverdue(scan),
  ]) {
    await run().catch((error: unknown) => {
      if (isUnavailable(error)) throw error;
      givenUp.push(error);
    });
  }
  if (givenUp.length > 0) throw givenUp[0];
}

/** Reports what {@link runSchedules} would do. Writes nothing. */
export async function previewSchedules(scan: Scan): Promise<void> {
  await previewSeries(scan, recurringExpenses);
  await previewSeries(scan, recurringInvoices);
  await previewOverdue(scan);
}
