import { deliveries } from '../../config/queues';
import type { DeliveryStatus } from '../../shared/webhooks';
import type { Shipment } from './Shipment';
import type { Attempt } from './WebhookSender';

/** The consequence of an attempt. */
export interface Outcome {
  readonly status: DeliveryStatus;
  /** Milliseconds until the next attempt; null when the delivery has ended. */
  readonly retryInMs: number | null;
}

/** The status 410 `Gone`: the endpoint is to be disabled. */
export const GONE = 410;

export const isSuccess = ({ status }: Attempt): boolean => status !== null && status >= 200 && status < 300;

/** Returns the consequence of a shipment's attempt. A delivery is retried until the delays of `deliveries` are used up. */
export function outcomeOf({ message, attempts }: Shipment, attempt: Attempt): Outcome {
  if (isSuccess(attempt)) return { status: 'delivered', retryInMs: null };
  const delayMs = deliveries.retryDelaysMs[attempts];
  if (message === null || attempt.status === GONE || delayMs === undefined)
    return { status: 'failed', retryInMs: null };
  return { status: 'pending', retryInMs: Math.round(delayMs * (1 + deliveries.jitter * Math.random())) };
}
