import { type Counted, coveredAt } from '../balance';
import { dayIn } from '../dates/dates';
import type { UnitOfWork } from '../engine/db';
import { parseDecimal } from '../money/money';
import { companyTimezone } from './companyTimezone';
import type { Invoice } from './Invoice';
import { statusByPayments, statusWhenCredited } from './rules';
import type { InvoiceStatus } from './statuses';

/**
 * Returns the status that its payments and credit notes give a locked invoice ({@link statusByPayments}, {@link statusWhenCredited});
 * `paidAt` is then the time of the payment that covered the total.
 * @param payments the counted ones, as they are now
 */
export async function statusFromPayments(
  uow: UnitOfWork,
  invoice: Invoice,
  payments: Counted,
  wasCovered: boolean,
): Promise<{ status: InvoiceStatus; paidAt?: Date }> {
  const { status, dueDate, credited, total } = invoice;
  const paidAt = coveredAt(payments, invoice);
  const isCovered = paidAt !== null;
  // The due date decides only where payments no longer cover the invoice.
  const isPastDue = wasCovered && !isCovered && dueDate < dayIn(await companyTimezone(uow.sql, uow.companyId), uow.now);
  const after = statusByPayments(status, { isCovered, wasCovered }, isPastDue);
  const isTakenBack = payments.length === 0 && parseDecimal(credited) > 0n && credited === total;
  return { status: isTakenBack ? statusWhenCredited(after) : after, ...(isCovered && { paidAt }) };
}
