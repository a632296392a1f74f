import { sendInvoiceEmail as contract } from '../../shared/emails';
import { loadInvoiceDocument, loadInvoiceDocuments } from '../../shared/invoiceDocuments';
import type { JobHandler } from '../jobs/JobRun';
import { recordUnsent } from './emailRow';
import { sendEmail } from './sendEmail';

/** A draft is sent as it looks once it is sent. */
const options = { asSent: true };

/** Sends one e-mail with an invoice, or a reminder of it. */
export const sendInvoiceEmail: JobHandler<typeof contract> = {
  contract,
  run: (run) => {
    const { companyId, payload, tools } = run;
    return sendEmail(run, () =>
      tools.rounds.join(loadInvoiceDocuments, companyId, payload.invoiceId, {
        together: (ids) => loadInvoiceDocuments(tools.services, companyId, ids, options),
        alone: (id) => loadInvoiceDocument(tools.services, companyId, id, options),
      }),
    );
  },
  failed: recordUnsent,
};
