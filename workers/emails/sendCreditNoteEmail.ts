import { sendCreditNoteEmail as contract } from '../../shared/emails';
import { loadCreditNoteDocument } from '../../shared/invoiceDocuments';
import type { JobHandler } from '../jobs/JobRun';
import { recordUnsent } from './emailRow';
import { sendEmail } from './sendEmail';

/** Sends one e-mail with a credit note. */
export const sendCreditNoteEmail: JobHandler<typeof contract> = {
  contract,
  run: (run) => {
    const { companyId, payload, tools } = run;
    return sendEmail(run, () => loadCreditNoteDocument(tools.services, companyId, payload.creditNoteId));
  },
  failed: recordUnsent,
};
