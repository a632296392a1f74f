import { expirePaymentLinks as contract, PaymentLink } from '../../shared/paymentLinks';
import type { UnitOfWork } from '../../shared/engine/db';
import { dueOf } from '../../shared/balance';
import { findLocked, linksNotFor, mustNotBePaid } from '../../shared/invoices';
import type { JobHandler } from '../jobs/JobRun';
import { settleLink } from './settleLink';

/**
 * Ends the open links of an invoice that must not be paid, and those that ask for something else than is due; one that was paid
 * meanwhile is recorded as a payment. A link that is being made is left to the job that makes it, which finds the invoice changed.
 */
export const expirePaymentLinks: JobHandler<typeof contract> = {
  contract,

  async run(run) {
    const links = await run.perform((uow) => unwantedLinks(uow, run.payload.invoiceId));
    for (const link of links) await settleLink(run, link);
    return run.finish(() => Promise.resolve({ expired: links.length }));
  },
};

/** The invoice may have come back to life since the request; then its active link for what is due stays. */
async function unwantedLinks(uow: UnitOfWork, invoiceId: number): Promise<PaymentLink[]> {
  const { companyId, transaction, now } = uow;
  const invoice = await findLocked(uow, invoiceId);
  if (invoice !== null) {
    const unwanted = mustNotBePaid(invoice) ? {} : linksNotFor(invoice, await dueOf(uow, invoice));
    const where = { companyId, invoiceId, status: 'active', ...unwanted };
    await PaymentLink.update({ status: 'superseded', updatedAt: now }, { where, transaction });
  }
  return PaymentLink.findAll({ where: { companyId, invoiceId, status: 'superseded' }, transaction });
}
