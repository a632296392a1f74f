import { id, type JobContract } from '../engine/jobs';

export interface SyncPaymentLinkPayload {
  paymentLinkId: number;
  /** A hash of the callback that led to it: a repeated callback shares the job. Absent for all other reasons. */
  callback?: string;
  /** Refunds and disputes of its payment are read as well, where the provider shows them apart from the link. */
  ofPayment?: boolean;
}

export interface SyncPaymentLinkResult {
  status: string;
}

/**
 * Reads from the gateway what has become of one `payment_links` row and records it: a payment, an expiry, or links that a
 * call with an unknown outcome made besides the recorded one (those are expired).
 */
export const syncPaymentLink: JobContract<'syncPaymentLink', SyncPaymentLinkPayload, SyncPaymentLinkResult> = {
  name: 'syncPaymentLink',
  queue: 'payment-link',
  payload: {
    type: 'object',
    required: ['paymentLinkId'],
    properties: {
      paymentLinkId: id,
      callback: { type: 'string', nullable: true },
      ofPayment: { type: 'boolean', nullable: true },
    },
  },
  dedupeKey: ({ paymentLinkId, callback }) =>
    callback === undefined ? null : `syncPaymentLink:${paymentLinkId}:${callback}`,
};
