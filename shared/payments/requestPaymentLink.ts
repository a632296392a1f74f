import { dueOf } from '../balance';
import { createPaymentLink, gatewayRules, paymentLinkEvents, usableLink } from '../paymentLinks';
import { type Invoice, invoiceRules, lockInvoice, markSent } from '../invoices';
import type { JobRef, UnitOfWork } from '../engine/db';
import { parseDecimal } from '../money/money';
import { Conflict } from '../engine/errors';
import { recordJob } from '../engine/jobs';
import { recordEvent } from '../engine/events';

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
  const due = await dueOf(uow, invoice);
  checkPayable(invoice, due, provider);
  const { id, currency } = invoice;
  if (!regenerate && (await usableLink(uow, { id, due, currency })) !== null) {
    await markSent(uow, invoice);
    return null;
  }
  await recordEvent(uow, paymentLinkEvents.requested, invoiceId, { regenerate });
  return recordJob(uow, createPaymentLink, { invoiceId });
}

/**
 * Checks that an invoice can get a link of this provider for what is due: with the request, and again by the job.
 * @throws {Conflict} `invoice_not_payable` or `nothing_to_pay`.
 */
export function checkPayable({ status, currency }: Invoice, due: string, provider: string): void {
  if (!invoiceRules[status].canBePaid) {
    throw new Conflict('invoice_not_payable', `a ${status} invoice gets no payment link`);
  }
  if (parseDecimal(gatewayRules(provider).gatewayAmount(due, currency)) === 0n) {
    throw new Conflict('nothing_to_pay', `${due} ${currency} is due, which cannot be paid at the gateway`);
  }
}
