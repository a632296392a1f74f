import { DeliveryUncertain, EmailRefused, EmailUnavailable } from '../../shared/errors';
import type { Handover } from './handover';

/**
 * What a failed call to SendGrid means (API reference, "Errors"). 4xx: not taken. 429 and 503 ("the API is not
 * available"): not taken now. Another 5xx is an error while the message was worked on, so it may have been taken; so may
 * one that was not answered.
 */
export function sendGridFailure(error: unknown, handover: Handover): Error {
  const cause = withoutSecrets(error);
  const status = statusOf(error);
  if (status === null) {
    return handover.begun
      ? new DeliveryUncertain('SendGrid was given the message and did not confirm it', cause)
      : new EmailUnavailable('SendGrid cannot be reached', cause);
  }
  if (status === 408 || status === 429 || status === 503)
    return new EmailUnavailable(`SendGrid answered ${status}`, cause);
  if (status >= 500) return new DeliveryUncertain(`SendGrid answered ${status} and may have taken the message`, cause);
  if (status === 401 || status === 403) {
    return new EmailRefused(`SendGrid does not accept the configured key or sender (${status})`, cause);
  }
  return new EmailRefused(`SendGrid refused the message (${status})${detailOf(error)}`, cause);
}

/** The HTTP status in SendGrid's own error (`code`) or, for an answer that it does not expect, in axios' (`response`). */
function statusOf(error: unknown): number | null {
  const { code, response } = error as { code?: unknown; response?: { status?: unknown } };
  if (typeof code === 'number') return code;
  return typeof response?.status === 'number' ? response.status : null;
}

/** The body of a refusal is `{ errors: [{ message, field, help }] }`. */
function detailOf(error: unknown): string {
  const { response } = error as { response?: { body?: { errors?: { message?: unknown }[] } } };
  const message = response?.body?.errors?.[0]?.message;
  return typeof message === 'string' ? `: ${message.slice(0, 200)}` : '';
}

/** axios keeps the request, and so the API key, on its errors, which would take it into the log. */
function withoutSecrets(error: unknown): Error {
  const { name, message, code } = error as { name?: unknown; message?: unknown; code?: unknown };
  return Object.assign(new Error(String(message)), { name, code });
}
