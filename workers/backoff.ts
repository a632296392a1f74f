import type { Delays } from '../config/queues';
import { GatewayUnavailable } from '../shared/errors';

/**
 * Milliseconds until the next try after `attempt` (from 1): exponential up to a maximum, between half and all of it by
 * chance so that many failures do not come back at once; never before the time that the far side asked for (429).
 */
export function backoff(policy: Delays, attempt: number, error: unknown, random: () => number = Math.random): number {
  const full = Math.min(policy.maxDelayMs, policy.firstDelayMs * policy.factor ** (attempt - 1));
  const asked = error instanceof GatewayUnavailable ? (error.retryAfterMs ?? 0) : 0;
  return Math.max(asked, Math.round(full * (0.5 + random() / 2)));
}
