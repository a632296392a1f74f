import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Config } from '../../../config/env';
import type { GatewayCallback, HeaderProof } from './GatewayCallback';
import { isShortText } from './isShortText';
import { stripeAmount } from './stripeAmounts';

/** How old a signature may be (Stripe's documentation, "Verify webhook signatures"). */
const TOLERANCE_S = 300;
const SIGNATURE = /^t=(\d{1,12}),((?:v\d=[0-9a-f]{64},?){1,16})$/;

/** The body is signed, so the headers prove nothing yet. */
export function headerProof(headers: IncomingHttpHeaders, settings: Config['gateway']): HeaderProof {
  return readSignature(headers) !== null && settings.providers.stripe.callbackSecret !== '' ? 'unproven' : 'refused';
}

/**
 * True if one signature of scheme `v1` in `Stripe-Signature` is the HMAC-SHA256 of `<time>.<body>` under the endpoint's secret, and the
 * time is within five minutes (Stripe's documentation, "Verify webhook signatures"). While a secret is replaced there are two signatures.
 */
export function isAuthentic(
  rawBody: Buffer,
  headers: IncomingHttpHeaders,
  settings: Config['gateway'],
  now: Date,
): boolean {
  const signature = readSignature(headers);
  const { callbackSecret } = settings.providers.stripe;
  if (signature === null || callbackSecret === '') return false;
  if (Math.abs(now.getTime() / 1_000 - Number(signature.time)) > TOLERANCE_S) return false;
  const expected = createHmac('sha256', callbackSecret).update(`${signature.time}.`).update(rawBody).digest();
  return signature.signatures.some((one) => timingSafeEqual(one, expected));
}

function readSignature(headers: IncomingHttpHeaders): { time: string; signatures: Buffer[] } | null {
  const match = SIGNATURE.exec(String(headers['stripe-signature'] ?? ''));
  if (match === null) return null;
  const [, time = '', schemes = ''] = match;
  const signatures = schemes.split(',').filter((one) => one.startsWith('v1='));
  return { time, signatures: signatures.map((one) => Buffer.from(one.slice(3), 'hex')) };
}

/** The types of events about a Checkout Session of a link. Its status is read from Stripe. */
const aboutSessions: ReadonlySet<unknown> = new Set([
  'checkout.session.completed',
  'checkout.session.async_payment_succeeded',
  'checkout.session.async_payment_failed',
]);
/** The types of events whose object is a charge, a refund or a dispute. Each names its payment. */
const aboutPayments: ReadonlySet<unknown> = new Set([
  'charge.refunded',
  'charge.refund.updated',
  'refund.failed',
  'charge.dispute.created',
]);

/** Reads an event (API reference, "Event object") about a Checkout Session of a payment link, or its payment; null for any other. */
export function parseCallback(body: unknown): GatewayCallback | null {
  const { id, type, data } = (body ?? {}) as { id?: unknown; type?: unknown; data?: { object?: unknown } };
  const eventId = isShortText(id) ? id : '';
  const object = (data?.object ?? {}) as {
    payment_link?: unknown;
    payment_intent?: unknown;
    metadata?: { reference?: unknown } | null;
  };
  const { payment_link: gatewayId } = object;
  const paymentId = isShortText(object.payment_intent) ? object.payment_intent : null;
  // Our reference of the link. Stripe copies it to sessions, payments and charges, not to refunds and disputes.
  const reference = isShortText(object.metadata?.reference) ? object.metadata.reference : null;
  if (aboutPayments.has(type)) return paymentId === null ? null : { paymentId, reference, status: 'changed', eventId };
  if (!aboutSessions.has(type) || !isShortText(gatewayId) || reference === null) return null;
  return { gatewayId, reference, paymentId, status: 'news', eventId };
}

export const gatewayAmount = (total: string, currency: string): string => stripeAmount(total, currency.toUpperCase());

/** Payment links are at `buy`, the sessions that they open at `checkout` (Stripe's documentation, "Payment Links"). */
export function pages({ providers: { stripe } }: Config['gateway']): readonly string[] {
  const { origin } = new URL(stripe.baseUrl);
  const own = ['https://buy.stripe.com', 'https://checkout.stripe.com'];
  return origin === STRIPE_API ? own : [...own, origin];
}

/** The URL of Stripe's API. */
const STRIPE_API = 'https://api.stripe.com';
