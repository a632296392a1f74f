import { id, type JobContract } from '../engine/jobs';

export interface SendInvoiceEmailResult {
  /** The mail provider's message id. */
  emailId: string;
}

/** Sends the e-mail of one `emails` row; recorded once per request, so it has no dedupe key. */
export const sendInvoiceEmail: JobContract<
  'sendInvoiceEmail',
  { invoiceId: number; emailId: number },
  SendInvoiceEmailResult
> = {
  name: 'sendInvoiceEmail',
  queue: 'email',
  needs: ['pdf'],
  payload: {
    type: 'object',
    required: ['invoiceId', 'emailId'],
    properties: { invoiceId: id, emailId: id },
  },
};
