import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Config } from '../../../config/env';
import type { GatewayCallback, GatewayLinkStatus, HeaderProof } from './GatewayCallback';
import { isShortText } from './isShortText';
import { wholeUnits } from './wholeUnits';

/**
 * Xendit's statuses of an invoice (API reference, "Invoice object"). SETTLED: paid, and paid out to us. Only the sandbox has PROCESSING:
 * Xendit shows a payment that takes days as PENDING.
 */
const statuses: ReadonlyMap<unknown, GatewayLinkStatus> = new Map([
  ['PENDING', 'pending'],
  ['PROCESSING', 'processing'],
  ['PAID', 'paid'],
  ['SETTLED', 'paid'],
  ['EXPIRED', 'expired'],
]);

/** Currencies that are charged in whole units: those without a minor unit in ISO 4217, and IDR, whose decimals Xendit cuts off. */
const wholeUnitCurrencies: ReadonlySet<string> = new Set(
  'BIF CLP DJF GNF IDR ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'.split(' '),
);

const digest = (text: string) => createHash('sha256').update(text).digest();

/**
 * True if the `x-callback-token` header is the configured token (Xendit's documentation, "Webhook verification"). Takes the same time for
 * every wrong token. Always false if no token is configured.
 */
export function isAuthentic(_rawBody: Buffer, headers: IncomingHttpHeaders, settings: Config['gateway']): boolean {
  const given = headers['x-callback-token'];
  const expected = settings.providers.xendit.callbackSecret;
  if (typeof given !== 'string' || expected === '') return false;
  return timingSafeEqual(digest(given), digest(expected));
}

/** The token is in a header, so nothing depends on the body. */
export function headerProof(headers: IncomingHttpHeaders, settings: Config['gateway']): HeaderProof {
  return isAuthentic(Buffer.alloc(0), headers, settings) ? 'proven' : 'refused';
}

/** Returns the link status for a status of Xendit, or null for an unknown one. */
export function linkStatus(status: unknown): GatewayLinkStatus | null {
  return statuses.get(status) ?? null;
}

/**
 * Callbacks about a refund (API reference, "Refund webhook notification"). An invoice has one payment, so the invoice's id identifies it.
 */
const refundEvents: ReadonlySet<unknown> = new Set(['refund.succeeded', 'refund.failed']);

/** Reads the body of a callback about an invoice or its refund. Null for any other body (another product's callback, a wrong type). */
export function parseCallback(body: unknown): GatewayCallback | null {
  if (typeof body !== 'object' || body === null) return null;
  const { event, data, id, external_id: reference, status } = body as Record<string, unknown>;
  if (refundEvents.has(event)) {
    const { id: refundId, invoice_id: paymentId } = (data ?? {}) as Record<string, unknown>;
    const eventId = isShortText(refundId) ? `${String(event)}:${refundId}` : '';
    return isShortText(paymentId) ? { paymentId, reference: null, status: 'changed', eventId } : null;
  }
  const known = linkStatus(status);
  if (!isShortText(id) || !isShortText(reference) || known === null) return null;
  return { gatewayId: id, reference, paymentId: id, status: known, eventId: '' };
}

/**
 * Returns the total as Xendit can charge it: rounded half up to whole units for currencies without decimals there (`"1050.50"` IDR is
 * `"1051.00"`), else unchanged.
 * @throws {RangeError} if `total` is not a decimal with two places, or is negative
 */
export function gatewayAmount(total: string, currency: string): string {
  const whole = wholeUnits(total);
  return wholeUnitCurrencies.has(currency.toUpperCase()) ? whole : total;
}

/** Xendit's checkout, live and for test keys (its documentation, "Invoices"), and the origin of a stand-in for Xendit. */
export function pages({ providers: { xendit } }: Config['gateway']): readonly string[] {
  const { origin } = new URL(xendit.baseUrl);
  const own = ['https://checkout.xendit.co', 'https://checkout-staging.xendit.co'];
  return origin === XENDIT_API ? own : [...own, origin];
}

/** The URL of Xendit's API. */
const XENDIT_API = 'https://api.xendit.co';
