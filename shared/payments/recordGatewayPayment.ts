import { countedPayments } from '../balance';
import { isDuplicate, type UnitOfWork } from '../engine/db';
import { findLocked } from '../invoices';
import type { PaymentLink } from '../paymentLinks';
import { formatDecimal, parseDecimal, type Hundredths } from '../money/money';
import { recordEvent } from '../engine/events';
import { paymentEvents } from './events';
import { followPayments, insertPayment, type RecordedPayment } from './insertPayment';

/** A payment as the gateway reports it: amounts are decimals with two places. */
export interface GatewayPayment {
  /** The gateway's id of the link that was paid: one payment each. */
  gatewayId: string;
  amount: string;
  currency: string;
  method: string | null;
  paidAt: Date;
}

/**
 * Records a payment of one of our links, exactly once however often it is reported, and makes the invoice `paid` when its payments
 * cover the total. Another currency is recorded and flagged, and covers nothing; an excess is flagged.
 */
export async function recordGatewayPayment(uow: UnitOfWork, link: PaymentLink, payment: GatewayPayment): Promise<void> {
  const invoice = await findLocked(uow, link.invoiceId);
  if (invoice === null) throw new Error(`payment link ${link.id} has no invoice`);
  const before = await countedPayments(uow, invoice);
  const { currency, amount } = payment;
  const settles = currency === invoice.currency ? formatDecimal(settledBy(link, payment)) : '0.00';
  let recorded: RecordedPayment;
  try {
    const row = { ...payment, settles, paymentLinkId: link.id, reference: null, note: null };
    recorded = await insertPayment(uow, invoice, row, before);
  } catch (error) {
    if (isDuplicate(error, 'payments_gateway_id')) return;
    throw error;
  }
  const { id, flags, excess } = recorded;
  await recordEvent(uow, paymentEvents.received, invoice.id, {
    ...{ paymentId: id, invoiceNumber: invoice.invoiceNumber, amount, currency },
    ...(flags.includes('wrong_currency') && { otherCurrency: true }),
    ...(flags.length > 0 && { flags: [...flags] }),
    ...(flags.includes('excess') && { excess }),
  });
  await followPayments(uow, invoice, before);
}

/** The gateway's rounding is not the client's debt: paying what the link asked for settles the total that it was for. */
function settledBy(link: PaymentLink, payment: GatewayPayment): Hundredths {
  return parseDecimal(payment.amount) - parseDecimal(link.amount) + parseDecimal(link.total);
}
