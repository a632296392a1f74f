import { id, type JobContract } from '../engine/jobs';

export interface ExpirePaymentLinksResult {
  expired: number;
}

/** Expires every link of an invoice that must not be paid any more, because it is cancelled, deleted, or paid in another way. */
export const expirePaymentLinks: JobContract<'expirePaymentLinks', { invoiceId: number }, ExpirePaymentLinksResult> = {
  name: 'expirePaymentLinks',
  queue: 'payment-link',
  payload: { type: 'object', required: ['invoiceId'], properties: { invoiceId: id } },
};
