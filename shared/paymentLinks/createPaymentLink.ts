import { id, type JobContract } from '../engine/jobs';

export interface CreatePaymentLinkResult {
  paymentLinkId: number;
  url: string;
}

/** Creates a new payment link for an invoice and expires its earlier ones. One at a time for an invoice. */
export const createPaymentLink: JobContract<'createPaymentLink', { invoiceId: number }, CreatePaymentLinkResult> = {
  name: 'createPaymentLink',
  queue: 'payment-link',
  payload: { type: 'object', required: ['invoiceId'], properties: { invoiceId: id } },
  dedupeKey: ({ invoiceId }) => `createPaymentLink:${invoiceId}`,
};
