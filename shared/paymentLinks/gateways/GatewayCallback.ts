import type { IncomingHttpHeaders } from 'node:http';
import type { Config } from '../../../config/env';

/**
 * The status of a payment link at the gateway. `paid` and `expired` are final. `processing`: paid by a method that takes days; it becomes
 * one of those.
 */
export type GatewayLinkStatus = 'pending' | 'processing' | 'paid' | 'expired';

/**
 * The contents of a callback. It is only a hint: amounts and times are read from the gateway, because a callback may be authenticated by a
 * token that never changes.
 */
export type GatewayCallback = (LinkCallback | PaymentCallback) & {
  /** The provider's id of the event, the same in each repeat; `''` if the provider gives none. */
  eventId: string;
};

/** A callback about a link. */
export interface LinkCallback {
  /** The link's id at the gateway. */
  gatewayId: string;
  /** Our reference, given when the link was created. */
  reference: string;
  /** The payment's id at the gateway, if the callback names one. */
  paymentId: string | null;
  /** `news`: the status has to be read from the gateway in any case. */
  status: GatewayLinkStatus | 'news';
}

/** A payment of a link was refunded or disputed. */
interface PaymentCallback {
  /** The payment's id at the gateway: see `GatewayPayment`. */
  paymentId: string;
  /** Our reference of the link, if the callback has it. */
  reference: string | null;
  status: 'changed';
}

/**
 * Whether the headers of a callback authenticate its sender, before the body is received: `proven` (a token), `unproven` (a signature of
 * the body, which is checked afterwards), or `refused`.
 */
export type HeaderProof = 'proven' | 'unproven' | 'refused';

/** The part of a payment provider that needs no connection: its callbacks and the amounts that it accepts. */
export interface GatewayRules {
  /** Never `proven` without a configured secret. `unproven` only where the headers have what {@link isAuthentic} needs. */
  headerProof(headers: IncomingHttpHeaders, settings: Config['gateway']): HeaderProof;
  /**
   * True if body and headers prove that the provider sent the callback. Never true without a configured secret.
   * @param rawBody the bytes as received, before any decoding: what a provider signs
   */
  isAuthentic(rawBody: Buffer, headers: IncomingHttpHeaders, settings: Config['gateway'], now: Date): boolean;
  /** Reads the parsed body. Null if it is not about a payment link or its payment: such a callback is acknowledged and ignored. */
  parseCallback(body: unknown): GatewayCallback | null;
  /**
   * Returns the total as the provider can charge it: rounded half up, a decimal with two places in every currency.
   * @param total a decimal with two places, not negative
   * @param currency ISO 4217 code
   * @throws {RangeError} when `total` has another form
   */
  gatewayAmount(total: string, currency: string): string;
  /** The origins of the pages on which payers pay. */
  pages(settings: Config['gateway']): readonly string[];
}
