import { countedPayments, Payment } from '../balance';
import { isDuplicate, type UnitOfWork } from '../engine/db';
import type { Invoice } from '../invoices';
import type { PaymentLink } from '../paymentLinks';
import { formatDecimal, parseDecimal, type Hundredths } from '../money/money';
import { recordEvent } from '../engine/events';
import { paymentEvents, paymentFacts } from './events';
import { followPayments, insertPayment, type RecordedPayment } from './insertPayment';

/** A payment as the gateway reports it: amounts are decimals with two places. */
export interface GatewayPayment {
  /** The gateway's id of the payment, or that of its link if the gateway has none. */
  gatewayId: string;
  amount: string;
  currency: string;
  method: string | null;
  paidAt: Date;
  /** The refunded amount; null: not read. */
  refundedAmount: string | null;
  /** When the payer disputed it; null: not disputed, or not read. */
  disputedAt: Date | null;
}

/**
 * Records a payment of one of our links exactly once, however often it is reported. The invoice becomes `paid` when its payments cover the
 * total. A payment in another currency is flagged and covers nothing; an excess is flagged. A refund or dispute is recorded with the
 * payment, and changes neither the balance nor a status.
 * @param invoice the invoice of the link, locked
 */
export async function recordGatewayPayment(
  uow: UnitOfWork,
  invoice: Invoice,
  link: PaymentLink,
  payment: GatewayPayment,
): Promise<void> {
  const before = await countedPayments(uow, invoice);
  const { gatewayId, currency, amount, method, paidAt } = payment;
  const settles = currency === invoice.currency ? formatDecimal(settledBy(link, payment)) : '0.00';
  let recorded: RecordedPayment;
  try {
    const row = { gatewayId, amount, currency, settles, method, paidAt, paymentLinkId: link.id };
    recorded = await insertPayment(uow, invoice, { ...row, reference: null, note: null }, before);
  } catch (error) {
    if (isDuplicate(error, 'payments_gateway_id')) return recordReturns(uow, invoice, payment);
    throw error;
  }
  const { id, flags, excess, after } = recorded;
  recordEvent(uow, paymentEvents.received, invoice.id, {
    ...paymentFacts({ id, amount, currency }, invoice),
    ...(flags.includes('wrong_currency') && { otherCurrency: true }),
    ...(flags.length > 0 && { flags: [...flags] }),
    ...(flags.includes('excess') && { excess }),
  });
  await followPayments(uow, invoice, before, after);
  await recordReturns(uow, invoice, payment);
}

/** Records the refunded amount and the dispute of a recorded payment, if they have changed. */
async function recordReturns(
  uow: UnitOfWork,
  invoice: Invoice,
  { gatewayId, refundedAmount, disputedAt }: GatewayPayment,
): Promise<void> {
  if (refundedAmount === null && disputedAt === null) return;
  const { companyId, transaction, now } = uow;
  const payment = await Payment.findOne({ where: { companyId, gatewayId }, transaction, rejectOnEmpty: true });
  const facts = paymentFacts(payment, invoice);
  if (refundedAmount !== null && refundedAmount !== payment.refundedAmount) {
    await payment.update({ refundedAmount, updatedAt: now }, { transaction });
    recordEvent(uow, paymentEvents.refunded, invoice.id, { ...facts, refundedAmount });
  }
  if (disputedAt !== null && payment.disputedAt === null) {
    await payment.update({ disputedAt, updatedAt: now }, { transaction });
    recordEvent(uow, paymentEvents.disputed, invoice.id, facts);
  }
}

/** Paying the amount of the link settles the total that the link was for: the client does not owe the gateway's rounding. */
function settledBy(link: PaymentLink, payment: GatewayPayment): Hundredths {
  return parseDecimal(payment.amount) - parseDecimal(link.amount) + parseDecimal(link.total);
}
