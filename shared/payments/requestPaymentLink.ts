import { Op } from 'sequelize';
import { dueOf } from '../balance';
import { referenceOf } from '../details';
import {
  createPaymentLink,
  gatewayRules,
  isPaymentProcessing,
  PaymentLink,
  paymentLinkEvents,
  usableLink,
} from '../paymentLinks';
import { type Invoice, invoiceRules, lockInvoice, markSent } from '../invoices';
import type { JobRef, UnitOfWork } from '../engine/db';
import { parseDecimal } from '../money/money';
import { Conflict, LimitReached } from '../engine/errors';
import { recordJob } from '../engine/jobs';
import { recordEvent } from '../engine/events';

/** The most links of one invoice: one for each day of three years. */
const MAX_LINKS = 1_000;

/**
 * Returns null if the invoice has a usable link (a draft still becomes `sent`), else the job that creates one. Concurrent requests share
 * that job. Calls no gateway.
 * @throws {NotFound}; {@link Conflict} `invoice_not_payable`, `nothing_to_pay` or `payment_processing`; {@link LimitReached}.
 */
export async function requestPaymentLink(
  uow: UnitOfWork,
  invoiceId: number,
  { defaultProvider, regenerate }: { defaultProvider: string; regenerate: boolean },
): Promise<JobRef | null> {
  const invoice = await lockInvoice(uow, invoiceId);
  const due = await dueOf(uow, invoice);
  checkPayable(invoice, due, await providerOf(uow, defaultProvider));
  await checkNoneProcessing(uow, invoiceId);
  const { id, currency } = invoice;
  if (!regenerate && (await usableLink(uow, { id, due, currency })) !== null) {
    await markSent(uow, invoice);
    return null;
  }
  const { companyId, transaction } = uow;
  const made = { companyId, invoiceId, gatewayId: { [Op.ne]: null } };
  if ((await PaymentLink.count({ where: made, transaction })) >= MAX_LINKS) {
    throw new LimitReached('payment_links', `an invoice has at most ${MAX_LINKS} payment links, ended ones included`);
  }
  recordEvent(uow, paymentLinkEvents.requested, invoiceId, { regenerate, ...referenceOf(invoice) });
  return recordJob(uow, createPaymentLink, { invoiceId });
}

/** Returns the provider of the company's links. */
export async function providerOf({ sql, companyId }: UnitOfWork, defaultProvider: string): Promise<string> {
  const [company] = await sql.rows<{ gatewayProvider: string | null }>(
    'SELECT gatewayProvider FROM companies WHERE id = ?',
    [companyId],
  );
  return company?.gatewayProvider ?? defaultProvider;
}

/** @throws {Conflict} `payment_processing` during a payment that takes days: a further link could be paid as well. */
export async function checkNoneProcessing({ sql, companyId }: UnitOfWork, invoiceId: number): Promise<void> {
  if (!(await isPaymentProcessing(sql, companyId, invoiceId))) return;
  throw new Conflict('payment_processing', 'a payment by a method that takes days is on its way');
}

/**
 * Checks that an invoice can get a link of this provider for the amount due. The request checks it, and the job again.
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
