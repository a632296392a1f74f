import { createPublicKey, createVerify } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { printable, type EmailError } from '../EmailError';
import type { EmailReport, ReportKind } from '../reportRules';

/**
 * How old a signed request may be. SendGrid does not say whether it signs a retry anew, and retries for 24 hours (72 in earlier
 * documentation): a shorter time could lose the reports of an outage. A replay within this time does no harm, because the ids of
 * processed reports are kept for longer ({@link REPORTS_KEPT_MS}).
 */
const OLDEST_MS = 3 * 86_400_000;
/** By how much the clock of SendGrid may be ahead. */
const AHEAD_MS = 10 * 60_000;

/** How long the ids of processed reports are kept. */
export const REPORTS_KEPT_MS = 7 * 86_400_000;

/** The most events of one request. SendGrid sends at most 768 KiB, which is fewer. */
export const MAX_EVENTS = 5_000;

/** SendGrid's events that say something of a message; others are ignored (Event Webhook Reference). */
const kinds: ReadonlyMap<unknown, ReportKind> = new Map([
  ['processed', 'accepted'],
  ['deferred', 'accepted'],
  ['delivered', 'delivered'],
  ['open', 'opened'],
  ['bounce', 'bounced'],
  ['dropped', 'dropped'],
  ['spamreport', 'complained'],
]);

/** Why a request was refused. */
export type Refusal = 'no key is configured' | 'the signature is wrong' | 'it is too old';

/** Checks requests of the Signed Event Webhook. Each check returns why a request is refused, or null. */
export interface SendGridCheck {
  /** What can be checked before the body is received. */
  headers(headers: IncomingHttpHeaders, now: Date): Refusal | null;
  /** The signature of a request whose headers were not refused, over the bytes of the body as received. */
  signature(body: Buffer, headers: IncomingHttpHeaders): Refusal | null;
}

/** Base64 of an ECDSA signature with P-256: 8 to 72 bytes of DER. */
const SIGNATURE = /^[\w+/]{10,96}={0,2}$/;
const TIMESTAMP = /^\d{1,12}$/;

/**
 * Returns the checks by a key: ECDSA with P-256 and SHA-256 over timestamp and body.
 * @param publicKey as SendGrid shows it, base64 of DER; empty: everything is refused
 */
export function sendGridCheck(publicKey: string): SendGridCheck {
  const key =
    publicKey === '' ? null : createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' });
  return {
    headers: (headers, now) => {
      if (key === null) return 'no key is configured';
      const [signature, timestamp] = signatureOf(headers);
      if (!SIGNATURE.test(signature) || !TIMESTAMP.test(timestamp)) return 'the signature is wrong';
      const ageMs = now.getTime() - Number(timestamp) * 1000;
      return ageMs <= OLDEST_MS && ageMs >= -AHEAD_MS ? null : 'it is too old';
    },
    signature: (body, headers) => {
      if (key === null) return 'no key is configured';
      const [signature, timestamp] = signatureOf(headers);
      const verify = createVerify('sha256').update(timestamp).update(body);
      return verify.verify(key, signature, 'base64') ? null : 'the signature is wrong';
    },
  };
}

function signatureOf(headers: IncomingHttpHeaders): [signature: string, timestamp: string] {
  const name = 'x-twilio-email-event-webhook';
  return [String(headers[`${name}-signature`]), String(headers[`${name}-timestamp`])];
}

/** Reads the events about messages of ours. Others are left out: other kinds, other programs' messages, broken ones. */
export function readSendGridEvents(events: readonly unknown[]): EmailReport[] {
  return events.map(readEvent).filter((report) => report !== null);
}

function readEvent(event: unknown): EmailReport | null {
  if (typeof event !== 'object' || event === null) return null;
  const fields = event as Record<string, unknown>;
  const { event: name, sg_event_id: id, sg_message_id: messageId, reference, timestamp, email } = fields;
  const kind = kinds.get(name);
  if (kind === undefined || !isText(id, 128) || !isText(reference, 191)) return null;
  return {
    id,
    reference,
    kind,
    address: isText(email, 254) ? email : null,
    at: timeOf(timestamp),
    providerMessageId: isText(messageId, 255) ? messageId : null,
    error: errorOf(kind, fields),
  };
}

/** A bounce of the type `blocked` was refused for now, for example as spam; the address itself may be good. */
function errorOf(kind: ReportKind, { type, reason }: Record<string, unknown>): EmailError | null {
  const message = typeof reason === 'string' ? printable(reason) : '';
  if (kind === 'bounced') return { code: type === 'blocked' ? 'blocked' : 'bounced', message };
  return kind === 'dropped' ? { code: 'dropped', message } : null;
}

function timeOf(timestamp: unknown): Date | null {
  return typeof timestamp === 'number' && timestamp > 0 && timestamp < 1e11 ? new Date(timestamp * 1000) : null;
}

function isText(value: unknown, maxLength: number): value is string {
  return typeof value === 'string' && value.length <= maxLength && /^[\x20-\x7e]+$/.test(value);
}
