import type { WebhookPayload } from './generated/operations.gen.js';

type ReceivedHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/** The body is not genuine, or too old: respond with 401. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

/**
 * Verifies a webhook (its `body` as received, not parsed) as Standard Webhooks defines it, and returns what it says.
 * @throws {WebhookVerificationError} when no signature is by a secret, or the timestamp is over five minutes away from now
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: ReceivedHeaders,
  secrets: string | readonly string[],
): Promise<WebhookPayload> {
  const all = headers instanceof Headers ? [...headers] : Object.entries(headers);
  const read = (name: string) => String(all.find(([key]) => key.toLowerCase() === `webhook-${name}`)?.[1]);
  const [id, timestamp, signatures] = [read('id'), read('timestamp'), read('signature')];
  const isCurrent = Math.abs(Date.now() / 1_000 - Number(timestamp)) <= 300;
  if (!isCurrent) throw new WebhookVerificationError('The timestamp is missing, too old or too new.');
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
  for (const secret of typeof secrets === 'string' ? [secrets] : secrets) {
    const raw = bytesOf(secret.replace('whsec_', ''));
    const key = await crypto.subtle.importKey('raw', raw, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
    for (const [, signature = ''] of signatures.matchAll(/(?<!\S)v1,([A-Za-z0-9+/]{43}=)(?!\S)/g)) {
      const isGenuine = await crypto.subtle.verify('HMAC', key, bytesOf(signature), signed);
      if (isGenuine) return JSON.parse(text) as WebhookPayload;
    }
  }
  throw new WebhookVerificationError('No signature is by a secret that is known.');
}

const bytesOf = (base64: string) => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
