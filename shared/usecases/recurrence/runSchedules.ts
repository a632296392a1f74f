import { markOverdue, previewOverdue } from './markOverdue';
import { recurringExpenses } from './recurringExpenses';
import { recurringInvoices } from './recurringInvoices';
import { previewSeries, rollSeries } from './rollSeries';
import type { Sweep } from './Sweep';

/**
 * Everything that the calendar brings: recurring expenses and invoices, and overdue invoices. What happened is told to the
 * sweep's observer. Safe to run at any time, any number of times, in any number of processes at once.
 * @throws {ServiceUnavailable} when MySQL is away; what is done by then stays done.
 */
export async function runSchedules(sweep: Sweep): Promise<void> {
  await rollSeries(sweep, recurringExpenses);
  await rollSeries(sweep, recurringInvoices);
  await markOverdue(sweep);
}

/** The same, told and not done. */
export async function previewSchedules(sweep: Sweep): Promise<void> {
  await previewSeries(sweep, recurringExpenses);
  await previewSeries(sweep, recurringInvoices);
  await previewOverdue(sweep);
}
