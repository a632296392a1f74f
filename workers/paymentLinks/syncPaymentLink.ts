import { Job } from '../../shared/engine/jobs';
import { createPaymentLink, PaymentLink, syncPaymentLink as contract } from '../../shared/paymentLinks';
import type { UnitOfWork } from '../../shared/engine/db';
import { findLocked } from '../../shared/invoices';
import type { JobHandler } from '../jobs/JobRun';
import { mayBePaid } from './mayBePaid';
import { recordSettled, requireUnchanged, settleAtGateway, type Keep } from './settleLink';

/** Syncs one link with the gateway. An `active` one for the amount due stays open. A `creating` one without a running job is expired. */
export const syncPaymentLink: JobHandler<typeof contract> = {
  contract,

  async run(run) {
    const { companyId, payload } = run;
    const where = { companyId, id: payload.paymentLinkId };
    const link = await PaymentLink.findOne({ where, rejectOnEmpty: true });
    const keep = (): Promise<Keep> => run.perform((uow) => whatToKeep(uow, link));
    const settled = await settleAtGateway(run, link, keep, payload.ofPayment);
    return run.finish(async (uow) => ({ status: await recordSettled(uow, link, settled) }));
  },
};

/** Runs under the invoice's lock, like planning: a job that starts now cannot use an abandoned row. */
async function whatToKeep(uow: UnitOfWork, link: PaymentLink): Promise<Keep> {
  const { companyId, transaction, now } = uow;
  const { invoiceId, updatedAt: seen } = link;
  const invoice = await findLocked(uow, invoiceId);
  await link.reload({ transaction });
  requireUnchanged(uow, link, seen);
  if (link.status === 'active') {
    if (invoice !== null && (await mayBePaid(uow, link, invoice))) return 'recorded';
    // A worker of the previous version has ended the job that was to expire it.
    await link.update({ status: 'superseded', updatedAt: now }, { transaction });
  }
  if (link.status !== 'creating') return 'none';
  // The job that creates it settles it. A payment whose callback arrived first is still recorded.
  const dedupeKey = createPaymentLink.dedupeKey?.({ invoiceId });
  if ((await Job.count({ where: { companyId, dedupeKey }, transaction })) > 0) return 'all';
  await link.update({ status: 'superseded', updatedAt: now }, { transaction });
  return 'none';
}
