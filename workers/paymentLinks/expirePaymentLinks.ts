import { expirePaymentLinks as contract, PaymentLink } from '../../shared/paymentLinks';
import type { UnitOfWork } from '../../shared/engine/db';
import { dueOf } from '../../shared/balance';
import { findLocked, linksNotFor, mustNotBePaid } from '../../shared/invoices';
import type { JobHandler } from '../jobs/JobRun';
import { settleLink } from './settleLink';

/**
 * Expires the open links of an invoice that must not be paid, and those that ask for another amount than is due. A link that was paid
 * meanwhile is recorded as a payment. A link in creation is left to its job, which finds the invoice changed.
 */
export const expirePaymentLinks: JobHandler<typeof contract> = {
  contract,

  async run(run) {
    const links = await run.perform((uow) => unwantedLinks(uow, run.payload.invoiceId));
    for (const link of links) await settleLink(run, link);
    return run.finish(() => Promise.resolve({ expired: links.length }));
  },
};

/** If the invoice can be paid again since the request, its active link for the amount due stays. */
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
