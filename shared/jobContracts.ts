import { createPaymentLink, expirePaymentLinks, syncPaymentLink } from './paymentLinks';
import { importRecords } from './imports';
import { sendCreditNoteEmail, sendInvoiceEmail } from './emails';

/** Every kind of job by its name. For the roots that put a process together; all else imports the one contract that it needs. */
export const jobContracts = {
  sendInvoiceEmail,
  sendCreditNoteEmail,
  createPaymentLink,
  syncPaymentLink,
  expirePaymentLinks,
  importRecords,
};

export type JobName = keyof typeof jobContracts;
