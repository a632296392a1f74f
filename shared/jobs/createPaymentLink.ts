import { id, type JobContract } from './JobContract';

export interface CreatePaymentLinkResult {
  paymentLinkId: number;
  url: string;
}

/** Makes the link of one `payment_links` row and expires the ones before it. One at a time for an invoice. */
export const createPaymentLink: JobContract<
  'createPaymentLink',
  { invoiceId: number; paymentLinkId: number },
  CreatePaymentLinkResult
> = {
  name: 'createPaymentLink',
  queue: 'payment-link',
  payload: {
    type: 'object',
    required: ['invoiceId', 'paymentLinkId'],
    properties: { invoiceId: id, paymentLinkId: id },
  },
};

/** Concurrent requests for one invoice's link share the job in flight. */
export const createPaymentLinkDedupeKey = (invoiceId: number): string => `createPaymentLink:${invoiceId}`;
