import { Op } from 'sequelize';
import { PaymentLink, type Invoice } from '../../database/models';
import type { JobRef, UnitOfWork } from '../../database/unitOfWork';
import { parseDecimal } from '../../domain/money';
import { Conflict } from '../../errors';
import { gatewayRules, type GatewayProvider } from '../../gateways';
import { recordJob } from '../../outbox/recordJob';
import { nextUpdatedAt } from '../nextUpdatedAt';
import { recordEvent } from '../recordEvent';
import { lockInvoice } from './lockInvoice';
import { setStatus } from './setStatus';

/**
 * Answers null when the invoice has a usable link (a draft becomes `sent` all the same), else the job that makes one;
 * requests at the same time share the job in flight. Calls no gateway.
 * @throws {NotFound}; {@link Conflict} `invoice_not_payable` or `nothing_to_pay`.
 */
export async function requestPaymentLink(
  uow: UnitOfWork,
  invoiceId: number,
  { provider, regenerate }: { provider: GatewayProvider; regenerate: boolean },
): Promise<JobRef | null> {
  const invoice = await lockInvoice(uow, invoiceId);
  checkPayable(invoice, provider);
  if (!regenerate && (await usableLink(uow, invoice)) !== null) {
    await markSent(uow, invoice);
    return null;
  }
  await recordEvent(uow, 'invoice.payment_link.requested', { type: 'invoice', id: invoiceId }, { regenerate });
  return recordJob(uow, 'createPaymentLink', { invoiceId });
}

/** Also asked by the job: what has changed since the request is seen. */
export function checkPayable(invoice: Invoice, provider: GatewayProvider): void {
  const { status, total, currency } = invoice;
  if (status === 'paid' || status === 'cancelled') {
    throw new Conflict('invoice_not_payable', `a ${status} invoice gets no payment link`);
  }
  if (parseDecimal(gatewayRules(provider).gatewayAmount(total, currency)) === 0n) {
    throw new Conflict('nothing_to_pay', `a total of ${total} ${currency} cannot be paid at the gateway`);
  }
}

/** The link that can be paid: not ended at the gateway, and for today's total and currency. */
export function usableLink(uow: UnitOfWork, invoice: Invoice): Promise<PaymentLink | null> {
  return PaymentLink.findOne({
    where: {
      companyId: uow.companyId,
      invoiceId: invoice.id,
      status: 'active',
      total: invoice.total,
      currency: invoice.currency,
      expiresAt: { [Op.or]: [{ [Op.is]: null }, { [Op.gt]: uow.now }] },
    },
    order: [['id', 'DESC']],
    transaction: uow.transaction,
  });
}

/** draft → sent; an `overdue` invoice stays so. */
export async function markSent(uow: UnitOfWork, invoice: Invoice): Promise<void> {
  if (invoice.status !== 'draft') return;
  await setStatus(uow, invoice, 'sent');
  invoice.updatedAt = nextUpdatedAt(uow.now, invoice.updatedAt);
  await invoice.save({ transaction: uow.transaction });
}
