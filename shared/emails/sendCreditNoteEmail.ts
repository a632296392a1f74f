import { id, type JobContract } from '../engine/jobs';
import type { SendInvoiceEmailResult } from './sendInvoiceEmail';

/**
 * Sends the e-mail of one `emails` row, which brings a credit note. A job of its own: a worker of the version before, which would send
 * the invoice instead, leaves it to newer ones.
 */
export const sendCreditNoteEmail: JobContract<
  'sendCreditNoteEmail',
  { invoiceId: number; emailId: number; creditNoteId: number },
  SendInvoiceEmailResult
> = {
  name: 'sendCreditNoteEmail',
  queue: 'email',
  needs: ['pdf'],
  payload: {
    type: 'object',
    required: ['invoiceId', 'emailId', 'creditNoteId'],
    properties: { invoiceId: id, emailId: id, creditNoteId: id },
  },
};
