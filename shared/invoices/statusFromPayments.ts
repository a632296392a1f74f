import { type Counted, coveredAt } from '../balance';
import { dayIn } from '../dates/dates';
import type { UnitOfWork } from '../engine/db';
import { companyTimezone } from './companyTimezone';
import type { Invoice } from './Invoice';
import { statusByPayments } from './rules';
import type { InvoiceStatus } from './statuses';

/**
 * Returns the status that its payments give a locked invoice ({@link statusByPayments}); `paidAt` is then the time of the payment
 * that covered the total.
 * @param payments the counted ones, as they are now
 */
export async function statusFromPayments(
  uow: UnitOfWork,
  invoice: Invoice,
  payments: Counted,
  wasCovered: boolean,
): Promise<{ status: InvoiceStatus; paidAt?: Date }> {
  const { status, dueDate } = invoice;
  const paidAt = coveredAt(payments, invoice);
  const isPastDue = dueDate < dayIn(await companyTimezone(uow.sql, uow.companyId), uow.now);
  const after = statusByPayments(status, { isCovered: paidAt !== null, wasCovered }, isPastDue);
  return { status: after, ...(paidAt !== null && { paidAt }) };
}
