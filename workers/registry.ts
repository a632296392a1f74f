import type { jobContracts, JobName } from '../shared/jobContracts';
import type { JobHandler } from './jobs/JobRun';
import { createPaymentLink } from './paymentLinks/createPaymentLink';
import { expirePaymentLinks } from './paymentLinks/expirePaymentLinks';
import { importRecords } from './imports/importRecords';
import { sendCreditNoteEmail } from './emails/sendCreditNoteEmail';
import { sendInvoiceEmail } from './emails/sendInvoiceEmail';
import { syncPaymentLink } from './paymentLinks/syncPaymentLink';

/** A handler for every job; a missing one does not compile. */
export const registry: { [N in JobName]: JobHandler<(typeof jobContracts)[N]> } = {
  sendInvoiceEmail,
  sendCreditNoteEmail,
  createPaymentLink,
  syncPaymentLink,
  expirePaymentLinks,
  importRecords,
};
