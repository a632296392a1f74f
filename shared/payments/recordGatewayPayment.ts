import { isDuplicate } from '../kernel/database/databaseErrors';
import { Payment } from './Payment';
import { expireUnwantedLinks, findLocked, type Invoice, moveInvoice, mustNotBePaid } from '../invoices';
import type { PaymentLink } from '../paymentLinks';
import type { UnitOfWork } from '../kernel/database/unitOfWork';
import { formatDecimal, parseDecimal, type Hundredths } from '../money/money';
import { recordEvent } from '../kernel/events/recordEvent';
import { paymentEvents } from './events';

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
  const { companyId, transaction, now } = uow;
  const invoice = await findLocked(uow, link.invoiceId);
  if (invoice === null) throw new Error(`payment link ${link.id} has no invoice`);
  const settles = payment.currency === invoice.currency ? settledBy(link, payment) : 0n;
  let paymentId: number;
  try {
    const row = { ...payment, settles: formatDecimal(settles), invoiceId: invoice.id, paymentLinkId: link.id };
    const values = { companyId, ...row, createdAt: now, updatedAt: now };
    ({ id: paymentId } = await Payment.create(values, { transaction }));
  } catch (error) {
    if (isDuplicate(error, 'payments_gateway_id')) return;
    throw error;
  }
  await settleInvoice(uow, invoice, payment, paymentId);
}

/** The gateway's rounding is not the client's debt: paying what the link asked for settles the total that it was for. */
function settledBy(link: PaymentLink, payment: GatewayPayment): Hundredths {
  return parseDecimal(payment.amount) - parseDecimal(link.amount) + parseDecimal(link.total);
}

async function settleInvoice(
  uow: UnitOfWork,
  invoice: Invoice,
  payment: GatewayPayment,
  paymentId: number,
): Promise<void> {
  const { companyId, transaction } = uow;
  const payments = await Payment.findAll({ where: { companyId, invoiceId: invoice.id }, transaction });
  const covered = payments.reduce((sum, { settles }) => sum + parseDecimal(settles), 0n);
  const excess = covered - parseDecimal(invoice.total);
  await recordEvent(uow, paymentEvents.received, invoice.id, {
    paymentId,
    invoiceNumber: invoice.invoiceNumber,
    amount: payment.amount,
    currency: payment.currency,
    ...(payment.currency !== invoice.currency && { otherCurrency: true }),
    ...(excess > 0n && { excess: formatDecimal(excess) }),
  });
  // Also a payment on a cancelled or deleted invoice is recorded; it changes no status.
  if (excess < 0n || mustNotBePaid(invoice)) return;
  await moveInvoice(uow, invoice, 'paid', { paidAt: payment.paidAt });
  await expireUnwantedLinks(uow, invoice);
}
