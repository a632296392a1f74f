import { isDuplicate } from '../../database/databaseErrors';
import { Payment, type Invoice, type PaymentLink } from '../../database/models';
import type { UnitOfWork } from '../../database/unitOfWork';
import { formatDecimal, parseDecimal, type Hundredths } from '../../domain/money';
import { expireUnwantedLinks } from '../invoices/expireUnwantedLinks';
import { findLocked } from '../invoices/lockInvoice';
import { setStatus } from '../invoices/setStatus';
import { nextUpdatedAt } from '../nextUpdatedAt';
import { recordEvent } from '../recordEvent';

/** A payment as the gateway tells it: amounts are decimals with two places. */
export interface GatewayPayment {
  /** The gateway's id of the link that was paid: one payment each. */
  gatewayId: string;
  amount: string;
  currency: string;
  method: string | null;
  paidAt: Date;
}

/**
 * Records a payment of one of our links, once however often it is told, and makes the invoice `paid` when its payments
 * cover the total. Another currency is recorded and flagged, and covers nothing; an excess is flagged.
 */
export async function recordGatewayPayment(uow: UnitOfWork, link: PaymentLink, payment: GatewayPayment): Promise<void> {
  const { companyId, transaction, now } = uow;
  const invoice = await findLocked(uow, link.invoiceId);
  if (invoice === null) throw new Error(`payment link ${link.id} has no invoice`);
  const settles = payment.currency === invoice.currency ? settledBy(link, payment) : 0n;
  try {
    const row = { ...payment, settles: formatDecimal(settles), invoiceId: invoice.id, paymentLinkId: link.id };
    await Payment.create({ companyId, ...row, createdAt: now, updatedAt: now }, { transaction });
  } catch (error) {
    if (isDuplicate(error, 'payments_gateway_id')) return;
    throw error;
  }
  await settleInvoice(uow, invoice, payment);
}

/** The gateway's rounding is not the client's debt: paying what the link asked for settles the total that it was for. */
function settledBy(link: PaymentLink, payment: GatewayPayment): Hundredths {
  return parseDecimal(payment.amount) - parseDecimal(link.amount) + parseDecimal(link.total);
}

async function settleInvoice(uow: UnitOfWork, invoice: Invoice, payment: GatewayPayment): Promise<void> {
  const { companyId, transaction } = uow;
  const payments = await Payment.findAll({ where: { companyId, invoiceId: invoice.id }, transaction });
  const covered = payments.reduce((sum, { settles }) => sum + parseDecimal(settles), 0n);
  const excess = covered - parseDecimal(invoice.total);
  await recordEvent(
    uow,
    'payment.received',
    { type: 'invoice', id: invoice.id },
    {
      amount: payment.amount,
      currency: payment.currency,
      ...(payment.currency !== invoice.currency && { otherCurrency: true }),
      ...(excess > 0n && { excess: formatDecimal(excess) }),
    },
  );
  if (excess < 0n || invoice.status === 'paid' || invoice.softDelete) return;
  await setStatus(uow, invoice, 'paid', { paidAt: payment.paidAt });
  await expireUnwantedLinks(uow, invoice);
  invoice.updatedAt = nextUpdatedAt(uow.now, invoice.updatedAt);
  await invoice.save({ transaction });
}
