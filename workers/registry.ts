import type { JobName } from '../shared/jobs';
import type { JobHandler } from './JobRun';
import { createPaymentLink } from './jobs/createPaymentLink';
import { expirePaymentLinks } from './jobs/expirePaymentLinks';
import { sendInvoiceEmail } from './jobs/sendInvoiceEmail';
import { syncPaymentLink } from './jobs/syncPaymentLink';

/** A handler for every job; a missing one does not compile. */
export const registry: { [N in JobName]: JobHandler<N> } = {
  sendInvoiceEmail,
  createPaymentLink,
  syncPaymentLink,
  expirePaymentLinks,
};
