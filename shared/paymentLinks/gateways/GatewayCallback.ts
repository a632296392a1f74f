import type { IncomingHttpHeaders } from 'node:http';
import type { Config } from '../../../config/env';

/** What a payment link is at the gateway. `paid` and `expired` are final. */
export type GatewayLinkStatus = 'pending' | 'paid' | 'expired';

/**
 * What a callback says. A hint, not the truth: amounts and times are read from the gateway itself, because the proof that
 * a callback carries may be a token that never changes.
 */
export interface GatewayCallback {
  /** The link's id at the gateway. */
  gatewayId: string;
  /** Our own reference, given when the link was made. */
  reference: string;
  status: GatewayLinkStatus;
}

/**
 * What the headers of a callback say of its sender, before the body is received: `proven` (a token), `unproven` (a signature of the
 * body, which is checked afterwards), or `refused`.
 */
export type HeaderProof = 'proven' | 'unproven' | 'refused';

/** The part of a payment provider that needs no connection: its callbacks and the amounts that it takes. */
export interface GatewayRules {
  /** Never `proven` without a configured secret. `unproven` only where the headers have what {@link isAuthentic} needs. */
  headerProof(headers: IncomingHttpHeaders, settings: Config['gateway']): HeaderProof;
  /**
   * True when body and headers prove that the provider sent the callback. Never true without a configured secret.
   * @param rawBody the bytes as received, before any decoding: what a provider signs
   */
  isAuthentic(rawBody: Buffer, headers: IncomingHttpHeaders, settings: Config['gateway']): boolean;
  /** Reads the parsed body; null when it is not about a payment link: such a callback is acknowledged and ignored. */
  parseCallback(body: unknown): GatewayCallback | null;
  /**
   * The total as the provider can charge it, rounded half up, as a decimal with two places whatever the currency.
   * @param total a decimal with two places, not negative
   * @param currency ISO 4217 code
   * @throws {RangeError} when `total` has another form
   */
  gatewayAmount(total: string, currency: string): string;
}
