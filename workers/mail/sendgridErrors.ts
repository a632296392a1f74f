import { DeliveryUncertain, EmailAccountRefused, EmailRefused, EmailUnavailable } from '../../shared/engine/errors';
import { retryAfterMs } from '../retryAfter';
import type { Handover } from './handover';

/**
 * Returns the error for a failed call to SendGrid (API reference, "Errors"):
 *
 * - 429: not accepted now.
 * - 401: nothing is accepted until the key is corrected.
 * - 408, any 5xx, or no response after the connection was established: possibly accepted. A proxy responds so as well after it has
 *   forwarded the request, and its 503 looks like that of SendGrid ("the API is not available").
 * - Other 4xx: not accepted.
 */
export function sendGridFailure(error: unknown, handover: Handover): Error {
  const cause = withoutSecrets(error);
  const status = statusOf(error);
  if (status === null) {
    return handover.begun
      ? new DeliveryUncertain('SendGrid was given the message and did not confirm it', cause)
      : new EmailUnavailable('SendGrid cannot be reached', cause);
  }
  if (status === 429) return new EmailUnavailable('SendGrid responded with 429', cause, askedToWait(error));
  if (status >= 500 || status === 408) {
    const message = `SendGrid responded with ${status} and may have taken the message`;
    return new DeliveryUncertain(message, cause, status === 503 ? askedToWait(error) : null);
  }
  if (status === 401) return refusedKey(cause);
  if (status === 403) {
    return new EmailRefused(`SendGrid does not let the key send for this sender (403)${detailOf(error)}`, cause);
  }
  return new EmailRefused(`SendGrid refused the message (${status})${detailOf(error)}`, cause);
}

/** Returns the error for a failed call that sends nothing. */
export function sendGridCheckFailure(error: unknown): EmailUnavailable {
  const cause = withoutSecrets(error);
  const status = statusOf(error);
  if (status === null) return new EmailUnavailable('SendGrid cannot be reached', cause);
  if (status === 401) return refusedKey(cause);
  return new EmailUnavailable(`SendGrid responded with ${status}${detailOf(error)}`, cause);
}

const refusedKey = (cause: Error) => new EmailAccountRefused('SendGrid does not accept SENDGRID_API_KEY (401)', cause);

/** Returns the HTTP status, from SendGrid's own error (`code`) or from axios' error (`response`). */
function statusOf(error: unknown): number | null {
  const { code, response } = error as { code?: unknown; response?: { status?: unknown } };
  if (typeof code === 'number') return code;
  return typeof response?.status === 'number' ? response.status : null;
}

/**
 * Returns for how many milliseconds SendGrid accepts no requests: in a 429, `X-RateLimit-Reset` is the end of the period, in seconds since
 * 1970.
 */
function askedToWait(error: unknown): number | null {
  const { response } = error as { response?: { headers?: Record<string, unknown> } };
  return retryAfterMs(response?.headers?.['retry-after']) ?? retryAfterMs(response?.headers?.['x-ratelimit-reset']);
}

/** The body of a refusal is `{ errors: [{ message, field, help }] }`. */
function detailOf(error: unknown): string {
  const { response } = error as { response?: { body?: { errors?: { message?: unknown }[] } } };
  const message = response?.body?.errors?.[0]?.message;
  return typeof message === 'string' ? `: ${message.slice(0, 200)}` : '';
}

/** Copies an error of axios without its request, which has the API key that must not be logged. */
function withoutSecrets(error: unknown): Error {
  const { name, message, code } = error as { name?: unknown; message?: unknown; code?: unknown };
  return Object.assign(new Error(String(message)), { name, code });
}
