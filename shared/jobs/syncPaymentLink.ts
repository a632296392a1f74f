import { id, type JobContract } from './JobContract';

export interface SyncPaymentLinkResult {
  status: string;
}

/**
 * Asks the gateway what has become of one `payment_links` row and records it: a payment, an expiry, or links that a
 * call with an unknown outcome made besides the recorded one (those are expired).
 */
export const syncPaymentLink: JobContract<'syncPaymentLink', { paymentLinkId: number }, SyncPaymentLinkResult> = {
  name: 'syncPaymentLink',
  queue: 'payment-link',
  payload: { type: 'object', required: ['paymentLinkId'], properties: { paymentLinkId: id } },
};
