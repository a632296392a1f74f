import { GatewayUnavailable } from '../../shared/engine/errors';
import type { GatewayLinkStatus } from '../../shared/paymentLinks';

export type { GatewayLinkStatus };

/** For which company a provider is called, and until when. A run of a job is one. */
export interface Caller {
  readonly companyId: number;
  readonly signal: AbortSignal;
}

/** The current state of a payment link at the gateway. Amounts are decimals with two places. */
export interface GatewayLink {
  /** The gateway's id. */
  id: string;
  /** Our reference. */
  reference: string;
  /** The page on which to pay. */
  url: string;
  status: GatewayLinkStatus;
  /** The amount that the gateway charges; it may be rounded. */
  amount: string;
  currency: string;
  paidAmount: string | null;
  paidAt: Date | null;
  paymentMethod: string | null;
  /** The gateway's id of the payment, or of the link if its payments have none. Null until the link is paid. */
  paymentId: string | null;
  /** The refunded amount of the payment; null: not read. */
  refundedAmount: string | null;
  /** When the payer disputed the payment; null: not disputed, or not read. */
  disputedAt: Date | null;
  expiresAt: Date | null;
}

/** The values of a new link. */
export interface NewLink {
  /** Our reference, unique for each link: it finds links that a call with an unknown outcome has created. */
  reference: string;
  /** When its row was made: before any call for it. */
  createdAt: Date;
  /** A decimal with two places that the gateway does not round: see `gatewayAmount`. */
  amount: string;
  /** ISO 4217. */
  currency: string;
  description: string;
  payerEmail: string | null;
  durationSeconds: number;
  /** Where the gateway sends the payer afterwards. */
  successUrl?: string;
}

/** A recorded link. `gatewayId` is null until the gateway's response is recorded. */
export interface RecordedLink {
  readonly reference: string;
  readonly createdAt: Date;
  readonly gatewayId: string | null;
}

/** Options of {@link Gateway.findOrCreateLink}. */
export interface FindOrCreate {
  /** An earlier call for this link began, and its outcome is unknown. */
  readonly calledBefore: boolean;
  readonly caller?: Caller;
}

/** Options of {@link Gateway.linksOf}. */
export interface ReadOptions {
  /** Reads refunds and disputes too, if the provider returns them separately from the link. */
  readonly ofPayment?: boolean | undefined;
  readonly caller?: Caller;
}

/** A run has expired a part of what belongs to a link, and must let others call. The next run expires more. */
export class PartlyExpired extends GatewayUnavailable {
  constructor() {
    super('the payment link has more open sessions than one run ends', { outcomeUnknown: true });
  }
}

/**
 * A payment provider. Every call ends within the configured time-out and may be aborted; it never retries by itself. All throw
 * `GatewayRefused` (a retry cannot help) or `GatewayUnavailable` (with `outcomeUnknown` if the call may have taken effect).
 */
export interface Gateway {
  /** As in {@link PaymentLink.provider}. */
  readonly provider: string;
  /**
   * After a call with an unknown outcome, the next call for the same link must not start before this many milliseconds have passed since
   * its start. 0 if the provider itself carries out only one of them (by an idempotency key).
   */
  readonly unknownForMs: number;
  /** Returns the link with this reference that can be paid or was paid, or creates it. */
  findOrCreateLink(link: NewLink, options: FindOrCreate): Promise<GatewayLink>;
  /** Returns every link that calls for this one have created, in any state: several if the provider cannot prevent it. */
  linksOf(link: RecordedLink, options?: ReadOptions): Promise<GatewayLink[]>;
  /**
   * Expires a link and returns its state: it may have been paid, or have expired, before. Safe to repeat.
   * @throws {PartlyExpired} when that takes long: call it again, although the link's state may be `expired` by then.
   */
  expireLink(id: string, caller?: Caller): Promise<GatewayLink>;
}
