import { balanceOf, type Counted, coveredAt, coveredBy, Payment } from '../balance';
import { expireUnwantedLinks, type Invoice, invoiceRules, moveInvoice, statusFromPayments } from '../invoices';
import type { UnitOfWork } from '../engine/db';
import { parseDecimal } from '../money/money';
import type { PaymentFlag } from './flags';

/** A payment to record. `settles`: the part of the total that it covers if it is in the invoice's currency. Decimals with two places. */
export type NewPayment = Pick<
  Payment,
  'paymentLinkId' | 'gatewayId' | 'amount' | 'settles' | 'currency' | 'method' | 'reference' | 'note' | 'paidAt'
>;

/** A recorded payment, and the amount by which the payments of its invoice then exceed the total (two places; `0.00` if they do not). */
export interface RecordedPayment {
  id: number;
  flags: readonly PaymentFlag[];
  excess: string;
  /** The counted payments of the invoice with this one, in the order of {@link countedPayments}. */
  after: Counted;
}

/** Inserts a payment of a locked invoice with its flags. The caller then records the event and calls {@link followPayments}. */
export async function insertPayment(
  uow: UnitOfWork,
  invoice: Invoice,
  payment: NewPayment,
  before: Counted,
): Promise<RecordedPayment> {
  const { companyId, transaction, now } = uow;
  const counts = payment.currency === invoice.currency;
  const settles = counts ? payment.settles : '0.00';
  const { excess } = balanceOf(invoice, coveredBy(before) + parseDecimal(settles));
  const flags = [
    ...(counts && excess !== '0.00' ? ['excess' as const] : []),
    ...(counts ? [] : ['wrong_currency' as const]),
    ...(!invoiceRules[invoice.status].takesPayments ? ['invoice_cancelled' as const] : []),
    ...(invoice.softDelete ? ['invoice_deleted' as const] : []),
    ...(counts && before.some((other) => isSame(other, payment)) ? ['possible_duplicate' as const] : []),
  ];
  const times = { createdAt: now, updatedAt: now };
  const row = { ...payment, settles, flags: JSON.stringify(flags), companyId, invoiceId: invoice.id, ...times };
  const recorded = await Payment.create(row, { transaction });
  const byTime = (a: Counted[number], b: Counted[number]): number => a.paidAt.getTime() - b.paidAt.getTime();
  return { id: recorded.id, flags, excess, after: counts ? [...before, recorded].sort(byTime) : before };
}

/**
 * Updates a locked invoice after a change of its payments: it becomes `paid` if they cover the total, or is open again if they no longer
 * do. Links that ask for another amount than is due are expired.
 * @param before the counted payments before the change
 * @param after those after it
 */
export async function followPayments(
  uow: UnitOfWork,
  invoice: Invoice,
  before: Counted,
  after: Counted,
): Promise<void> {
  if (!invoice.softDelete) {
    const wasCovered = coveredAt(before, invoice) !== null;
    const { status, paidAt } = await statusFromPayments(uow, invoice, after, wasCovered);
    if (status !== invoice.status) await moveInvoice(uow, invoice, status, paidAt === undefined ? {} : { paidAt });
  }
  await expireUnwantedLinks(uow, invoice, balanceOf(invoice, coveredBy(after)).due);
}

/** Two payments with the same amount and reference may be one that was recorded twice. */
function isSame(other: Counted[number], { amount, reference }: NewPayment): boolean {
  return (reference ?? '') !== '' && other.reference === reference && other.amount === amount;
}
