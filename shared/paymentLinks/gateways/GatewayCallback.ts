import type { IncomingHttpHeaders } from 'node:http';
import type { Config } from '../../../config/env';

/**
 * What a payment link is at the gateway. `paid` and `expired` are final; `processing`: paid by a method that takes days, and ends as
 * one of them.
 */
export type GatewayLinkStatus = 'pending' | 'processing' | 'paid' | 'expired';

/**
 * What a callback says. A hint, not the truth: amounts and times are read from the gateway itself, because the proof that
 * a callback carries may be a token that never changes.
 */
export type GatewayCallback = (LinkCallback | PaymentCallback) & {
  /** The provider's id of the event, the same when it is sent again; `''` where it gives none. */
  eventId: string;
};

/** About a link. */
export interface LinkCallback {
  /** The link's id at the gateway. */
  gatewayId: string;
  /** Our own reference, given when the link was made. */
  reference: string;
  /** The payment's id at the gateway, where the callback names one. */
  paymentId: string | null;
  /** `news`: the gateway has to be asked in any case. */
  status: GatewayLinkStatus | 'news';
}

/** A payment of a link was refunded or disputed. */
interface PaymentCallback {
  /** The payment's id at the gateway: see `GatewayPayment`. */
  paymentId: string;
  /** Our reference of the link, where the callback has it. */
  reference: string | null;
  status: 'changed';
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
  isAuthentic(rawBody: Buffer, headers: IncomingHttpHeaders, settings: Config['gateway'], now: Date): boolean;
  /** Reads the parsed body; null when it is not about a payment link or its payment: such a callback is acknowledged and ignored. */
  parseCallback(body: unknown): GatewayCallback | null;
  /**
   * The total as the provider can charge it, rounded half up, as a decimal with two places whatever the currency.
   * @param total a decimal with two places, not negative
   * @param currency ISO 4217 code
   * @throws {RangeError} when `total` has another form
   */
  gatewayAmount(total: string, currency: string): string;
  /** The origins of the pages on which payers pay. */
  pages(settings: Config['gateway']): readonly string[];
}
