import { retryPolicies } from '../../config/queues';
import { id, type JobContract } from '../kernel/jobs/JobContract';

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
  retries: retryPolicies.email,
  payload: {
    type: 'object',
    required: ['invoiceId', 'emailId'],
    properties: { invoiceId: id, emailId: id },
  },
};
