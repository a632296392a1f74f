import type { GatewayLinkStatus } from '../../shared/paymentLinks';

export type { GatewayLinkStatus };

/** A payment link as the gateway describes it now. Amounts are decimals with two places. */
export interface GatewayLink {
  /** The gateway's id. */
  id: string;
  /** Ours. */
  reference: string;
  /** The page on which to pay. */
  url: string;
  status: GatewayLinkStatus;
  /** What the gateway charges, which it may have rounded. */
  amount: string;
  currency: string;
  paidAmount: string | null;
  paidAt: Date | null;
  paymentMethod: string | null;
  /** The gateway's id of the payment, or of the link where it gives payments none; null as long as it is not paid. */
  paymentId: string | null;
  /** What of the payment was refunded; null: not asked for. */
  refundedAmount: string | null;
  /** When the payer disputed the payment; null: not, or not asked for. */
  disputedAt: Date | null;
  expiresAt: Date | null;
}

/** What a new link needs. */
export interface NewLink {
  /** Ours, unique for each link: it finds what a call with an unknown outcome has made. */
  reference: string;
  /** A decimal with two places that the gateway takes unchanged: see `gatewayAmount`. */
  amount: string;
  /** ISO 4217. */
  currency: string;
  description: string;
  payerEmail: string | null;
  durationSeconds: number;
  /** Where the gateway sends the payer afterwards. */
  successUrl?: string;
}

/** A link of ours as it is recorded: `gatewayId` is null until the gateway's response is recorded. */
export interface RecordedLink {
  readonly reference: string;
  readonly gatewayId: string | null;
}

/** How {@link Gateway.findOrCreateLink} is called. */
export interface FindOrCreate {
  /** An earlier call for this link began, and its outcome is unknown. */
  readonly calledBefore: boolean;
  readonly signal?: AbortSignal;
}

/** How {@link Gateway.linksOf} is called. */
export interface ReadOptions {
  /** Asks for refunds and disputes too, where the provider shows them apart from the link. */
  readonly ofPayment?: boolean | undefined;
  readonly signal?: AbortSignal;
}

/**
 * A payment provider. Every call ends within the configured time-out and may be aborted; it never retries by itself.
 * All throw `GatewayRefused` (a retry cannot help) or `GatewayUnavailable` (with `outcomeUnknown` where the call may
 * have been carried out all the same).
 */
export interface Gateway {
  /** As in {@link PaymentLink.provider}. */
  readonly provider: string;
  /**
   * Milliseconds after the start of a call with an unknown outcome before which the next one for the same link must not begin. 0
   * where the provider itself carries out only one of them (by an idempotency key).
   */
  readonly unknownForMs: number;
  /** Returns the link with this reference that can be paid or was paid, or makes it. */
  findOrCreateLink(link: NewLink, options: FindOrCreate): Promise<GatewayLink>;
  /** Every link that calls for this one have made, in any state: several where the provider cannot prevent it. */
  linksOf(link: RecordedLink, options?: ReadOptions): Promise<GatewayLink[]>;
  /** Ends a link and returns it as it is now: it may have been paid, or have ended, before. Safe to repeat. */
  expireLink(id: string, signal?: AbortSignal): Promise<GatewayLink>;
}
