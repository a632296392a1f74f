import { id, type JobContract } from '../engine/jobs';

export interface SyncPaymentLinkPayload {
  paymentLinkId: number;
  /** A hash of the callback that led to it: a repeated callback shares the job. Absent for all other reasons. */
  callback?: string;
  /** Refunds and disputes of its payment are read too, if the provider returns them separately from the link. */
  ofPayment?: boolean;
}

export interface SyncPaymentLinkResult {
  status: string;
}

/**
 * Reads the status of one `payment_links` row from the gateway and records it: a payment or an expiry. Expires further links that a call
 * with an unknown outcome created.
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
