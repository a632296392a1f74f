import { Job, PaymentLink } from '../../shared/database/models';
import type { UnitOfWork } from '../../shared/database/unitOfWork';
import { dedupeKeyOf } from '../../shared/outbox/recordJob';
import { findLocked } from '../../shared/usecases/invoices/lockInvoice';
import type { JobHandler } from '../JobRun';
import { settleLink, type Keep } from './settleLink';

/** Asks the gateway about one link. An `active` one stays open; a `creating` one that nobody is making any more is ended. */
export const syncPaymentLink: JobHandler<'syncPaymentLink'> = {
  async run(run) {
    const { companyId, payload } = run;
    const where = { companyId, id: payload.paymentLinkId };
    const link = await PaymentLink.findOne({ where, rejectOnEmpty: true });
    const keep = await run.perform((uow) => whatToKeep(uow, link));
    const status = await settleLink(run, link, keep);
    return run.finish(() => Promise.resolve({ status }));
  },
};

/** Under the invoice's lock, as links are planned: an abandoned row is taken out of the reach of a job that begins now. */
async function whatToKeep(uow: UnitOfWork, link: PaymentLink): Promise<Keep> {
  const { companyId, transaction, now } = uow;
  const { invoiceId } = link;
  await findLocked(uow, invoiceId);
  await link.reload({ transaction });
  if (link.status !== 'creating') return link.status === 'active' ? 'recorded' : 'none';
  // The job that makes it settles it; a payment is recorded all the same when the callback was first.
  const dedupeKey = dedupeKeyOf('createPaymentLink', { invoiceId });
  if ((await Job.count({ where: { companyId, dedupeKey }, transaction })) > 0) return 'all';
  await link.update({ status: 'superseded', updatedAt: now }, { transaction });
  return 'none';
}
