import { countedPayments, coveredBy, Payment } from '../balance';
import { instantOfDay, readDate } from '../dates/dates';
import { companyTimezone, invoiceRules, lockInvoice } from '../invoices';
import type { UnitOfWork } from '../engine/db';
import { Conflict, LimitReached, ValidationFailed } from '../engine/errors';
import { recordEvent } from '../engine/events';
import { formatDecimal, isWithinBounds, parseDecimal } from '../money/money';
import { paymentEvents, paymentFacts } from './events';
import { followPayments, insertPayment } from './insertPayment';
import { getPayment, type PaymentInput, type PaymentRecord } from './record';

/** The most payments of one invoice: few enough to be summed under its lock. */
const MAX_PAYMENTS = 500;
/** A payment may be dated this far ahead, because clocks and time zones differ. */
const LONGEST_AHEAD_MS = 86_400_000;

/**
 * Records a payment that was made elsewhere. When the payments cover the total, the invoice becomes `paid`; links that ask for another
 * amount than is then due are expired.
 * @throws {ValidationFailed}; {@link NotFound}; {@link Conflict} `invoice_cancelled`, {@link LimitReached} beyond {@link MAX_PAYMENTS}.
 */
export async function recordManualPayment(
  uow: UnitOfWork,
  invoiceId: number,
  { amount, currency, paidAt, method = null, reference = null, note = null }: PaymentInput,
): Promise<PaymentRecord> {
  const { companyId, transaction } = uow;
  const at = await timeOf(uow, paidAt ?? null);
  const invoice = await lockInvoice(uow, invoiceId);
  if (!invoiceRules[invoice.status].takesPayments) {
    throw new Conflict('invoice_cancelled', 'a cancelled invoice takes no payment');
  }
  if ((await Payment.count({ where: { companyId, invoiceId }, transaction })) >= MAX_PAYMENTS) {
    throw new LimitReached('payments', `an invoice has at most ${MAX_PAYMENTS} payments, voided ones included`);
  }
  const before = await countedPayments(uow, invoice);
  const paid = formatDecimal(parseDecimal(amount));
  if (!isWithinBounds(coveredBy(before) + parseDecimal(paid))) {
    throw ValidationFailed.at('amount', 'must keep the sum of the payments within 9,999,999,999,999.99');
  }
  const payment = {
    ...{ paymentLinkId: null, gatewayId: null, amount: paid, settles: paid, currency: currency ?? invoice.currency },
    ...{ method, reference, note, paidAt: at },
  };
  const { id, flags, excess, after } = await insertPayment(uow, invoice, payment, before);
  recordEvent(uow, paymentEvents.recorded, invoiceId, {
    ...paymentFacts({ id, amount: paid, currency: payment.currency }, invoice),
    ...{ method, reference, flags: [...flags] },
    ...(flags.includes('excess') && { excess }),
  });
  await followPayments(uow, invoice, before, after);
  return getPayment(uow.sql, companyId, invoiceId, id);
}

/** @throws {ValidationFailed} for a time more than a day ahead. */
async function timeOf({ companyId, sql, now }: UnitOfWork, given: string | null): Promise<Date> {
  if (given === null) return now;
  const day = readDate(given);
  const at = day === null ? new Date(given) : instantOfDay(day, await companyTimezone(sql, companyId));
  if (at.getTime() > now.getTime() + LONGEST_AHEAD_MS) {
    throw ValidationFailed.at('paidAt', 'must not be more than a day in the future');
  }
  if (at.getUTCFullYear() < 1000) throw ValidationFailed.at('paidAt', 'must be in the year 1000 or later');
  return at;
}
