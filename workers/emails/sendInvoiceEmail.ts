import { sendInvoiceEmail as contract } from '../../shared/emails';
import { loadInvoiceDocument } from '../../shared/invoiceDocuments';
import type { JobHandler } from '../jobs/JobRun';
import { recordUnsent } from './emailRow';
import { sendEmail } from './sendEmail';

/** Sends one e-mail with an invoice, or a reminder of it. A draft is sent as it looks once it is sent. */
export const sendInvoiceEmail: JobHandler<typeof contract> = {
  contract,
  run: (run) => {
    const { companyId, payload, tools } = run;
    return sendEmail(run, () => loadInvoiceDocument(tools.services, companyId, payload.invoiceId, { asSent: true }));
  },
  failed: recordUnsent,
};
