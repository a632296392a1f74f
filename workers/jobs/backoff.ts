import { delayAfter, type Delays } from '../../config/queues';

/**
 * Returns the milliseconds until the retry after `failures` (from 1): exponential up to a maximum, randomly between half and all of it, so
 * that many failures are not retried at the same time.
 */
export function backoff(policy: Delays, failures: number): number {
  return Math.round(delayAfter(policy, failures) * (0.5 + Math.random() / 2));
}
