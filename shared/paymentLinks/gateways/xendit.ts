import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Config } from '../../../config/env';
import type { GatewayCallback, GatewayLinkStatus, HeaderProof } from './GatewayCallback';

/** Xendit's words for the state of an invoice (API reference, "Invoice object"). SETTLED is PAID and paid out to us. */
const statuses: ReadonlyMap<unknown, GatewayLinkStatus> = new Map([
  ['PENDING', 'pending'],
  ['PAID', 'paid'],
  ['SETTLED', 'paid'],
  ['EXPIRED', 'expired'],
]);

/**
 * Currencies that are charged in whole units: those without a minor unit in ISO 4217, and the rupiah, whose decimals
 * Xendit cuts off.
 */
const wholeUnitCurrencies: ReadonlySet<string> = new Set(
  'BIF CLP DJF GNF IDR ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'.split(' '),
);

const longestText = 255;

const digest = (text: string) => createHash('sha256').update(text).digest();

/**
 * True when the `x-callback-token` header is the configured token (Xendit's documentation, "Webhook verification").
 * Takes the same time for every wrong token. Always false while no token is configured.
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

/** The link status that stands for Xendit's, or null for a word that we do not know. */
export function linkStatus(status: unknown): GatewayLinkStatus | null {
  return statuses.get(status) ?? null;
}

/** Reads an invoice callback's body; null for anything that is not one (another product's callback, a wrong type). */
export function parseCallback(body: unknown): GatewayCallback | null {
  if (typeof body !== 'object' || body === null) return null;
  const { id, external_id: reference, status } = body as Record<string, unknown>;
  const known = linkStatus(status);
  if (!isShortText(id) || !isShortText(reference) || known === null) return null;
  return { gatewayId: id, reference, status: known };
}

function isShortText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= longestText;
}

/**
 * The total as Xendit can charge it: whole units, rounded half up, for currencies without decimals there (`"1050.50"`
 * IDR is `"1051.00"`), unchanged for the others.
 * @throws {RangeError} when `total` is not a decimal with two places, or is negative
 */
export function gatewayAmount(total: string, currency: string): string {
  const match = /^(\d+)\.(\d)\d$/.exec(total);
  if (!match) throw new RangeError(`"${total}" is not an amount with two decimal places`);
  if (!wholeUnitCurrencies.has(currency.toUpperCase())) return total;
  const [, whole = '0', tenths = '0'] = match;
  return `${BigInt(whole) + (tenths >= '5' ? 1n : 0n)}.00`;
}
