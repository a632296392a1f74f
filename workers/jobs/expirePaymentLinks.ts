import { PaymentLink } from '../../shared/database/models';
import type { JobHandler } from '../JobRun';
import { settleLink } from './settleLink';

/** Ends every open link of an invoice; one that was paid meanwhile is recorded as a payment. */
export const expirePaymentLinks: JobHandler<'expirePaymentLinks'> = {
  async run(run) {
    const { companyId, payload } = run;
    const open = { companyId, invoiceId: payload.invoiceId, status: ['creating', 'active', 'superseded'] };
    const links = await PaymentLink.findAll({ where: open });
    for (const link of links) await settleLink(run, link, { keep: false });
    return run.finish(() => Promise.resolve({ expired: links.length }));
  },
};
