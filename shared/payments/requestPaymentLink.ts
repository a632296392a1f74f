import { createPaymentLink, gatewayRules, paymentLinkEvents, usableLink } from '../paymentLinks';
import { type Invoice, invoiceRules, lockInvoice, markSent } from '../invoices';
import type { JobRef, UnitOfWork } from '../kernel/database/unitOfWork';
import { parseDecimal } from '../money/money';
import { Conflict } from '../kernel/errors';
import { recordJob } from '../kernel/jobs/recordJob';
import { recordEvent } from '../kernel/events/recordEvent';

/**
 * Returns null when the invoice has a usable link (a draft becomes `sent` all the same), else the job that makes one;
 * concurrent requests share the job in flight. Calls no gateway.
 * @throws {NotFound}; {@link Conflict} `invoice_not_payable` or `nothing_to_pay`.
 */
export async function requestPaymentLink(
  uow: UnitOfWork,
  invoiceId: number,
  { provider, regenerate }: { provider: string; regenerate: boolean },
): Promise<JobRef | null> {
  const invoice = await lockInvoice(uow, invoiceId);
  checkPayable(invoice, provider);
  if (!regenerate && (await usableLink(uow, invoice)) !== null) {
    await markSent(uow, invoice);
    return null;
  }
  await recordEvent(uow, paymentLinkEvents.requested, invoiceId, { regenerate });
  return recordJob(uow, createPaymentLink, { invoiceId });
}

/**
 * Checks that an invoice can get a link of this provider: with the request, and again by the job.
 * @throws {Conflict} `invoice_not_payable` or `nothing_to_pay`.
 */
export function checkPayable(invoice: Invoice, provider: string): void {
  const { status, total, currency } = invoice;
  if (!invoiceRules[status].canBePaid) {
    throw new Conflict('invoice_not_payable', `a ${status} invoice gets no payment link`);
  }
  if (parseDecimal(gatewayRules(provider).gatewayAmount(total, currency)) === 0n) {
    throw new Conflict('nothing_to_pay', `a total of ${total} ${currency} cannot be paid at the gateway`);
  }
}
