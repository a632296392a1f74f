import { Job, PaymentLink } from '../../shared/database/models';
import { createPaymentLinkDedupeKey } from '../../shared/jobs/createPaymentLink';
import type { JobHandler } from '../JobRun';
import { settleLink } from './settleLink';

/** Asks the gateway about one link. An `active` one stays open; a `creating` one that nobody is making any more is ended. */
export const syncPaymentLink: JobHandler<'syncPaymentLink'> = {
  async run(run) {
    const { companyId, payload } = run;
    const where = { companyId, id: payload.paymentLinkId };
    const link = await PaymentLink.findOne({ where, rejectOnEmpty: true });
    const beingMade =
      link.status === 'creating' &&
      (await Job.count({ where: { companyId, dedupeKey: createPaymentLinkDedupeKey(link.invoiceId) } })) > 0;
    // The job that makes it settles it; a payment is recorded all the same when the callback was first.
    const keep = link.status === 'active' || beingMade;
    const status = await settleLink(run, link, { keep });
    return run.finish(() => Promise.resolve({ status }));
  },
};
