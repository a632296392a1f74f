import { delayAfter, type Delays } from '../../config/queues';
import { GatewayUnavailable } from '../../shared/kernel/errors';

/**
 * Milliseconds until the retry after so many `failures` (from 1): exponential up to a maximum, between half and all of it by
 * chance, so that many failures are not retried at the same time; never before the time that the provider asked for (429).
 */
export function backoff(policy: Delays, failures: number, error: unknown, random: () => number = Math.random): number {
  const full = delayAfter(policy, failures);
  const asked = error instanceof GatewayUnavailable ? (error.retryAfterMs ?? 0) : 0;
  return Math.max(asked, Math.round(full * (0.5 + random() / 2)));
}
