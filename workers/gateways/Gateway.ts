import type { GatewayLinkStatus, GatewayProvider } from '../../shared/gateways';

export type { GatewayLinkStatus };

/** A payment link as the gateway describes it at the moment. Amounts are decimals with two places. */
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
  expiresAt: Date | null;
}

/** What a new link needs. */
export interface NewLink {
  /** Ours, unique for each link that we want: what an unknown outcome is settled by. */
  reference: string;
  /** A decimal with two places that the gateway takes as it is: see `gatewayAmount`. */
  amount: string;
  /** ISO 4217. */
  currency: string;
  description: string;
  payerEmail: string | null;
  durationSeconds: number;
  /** Where the gateway sends the payer afterwards. */
  successUrl?: string;
}

/**
 * A payment provider. Every call ends within the configured time-out and may be aborted; it never retries by itself.
 * All throw `GatewayRefused` (another try is no use) or `GatewayUnavailable` (with `outcomeUnknown` where the call may
 * have been carried out all the same).
 */
export interface Gateway {
  readonly provider: GatewayProvider;
  /** Makes a link. Twice with one reference makes two: after an unknown outcome ask {@link findLinks} first. */
  createLink(link: NewLink, signal?: AbortSignal): Promise<GatewayLink>;
  /** Every link with exactly this reference, in any state. */
  findLinks(reference: string, signal?: AbortSignal): Promise<GatewayLink[]>;
  /** The link, or null when the gateway does not know the id. */
  getLink(id: string, signal?: AbortSignal): Promise<GatewayLink | null>;
  /** Ends a link and answers what it is now: it may have been paid, or have ended, before. Safe to repeat. */
  expireLink(id: string, signal?: AbortSignal): Promise<GatewayLink>;
}
