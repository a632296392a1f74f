import { type Static, Type } from '@sinclair/typebox';
import { plainAjv } from '../../shared/engine/schemas';
import { fromStripeUnits } from '../../shared/paymentLinks';
import { maybe, unreadable } from './responses';
import type { GatewayLink, GatewayLinkStatus } from './Gateway';

const word = Type.String({ minLength: 1, maxLength: 255 });
const amount = Type.String({ pattern: /^\d{1,13}\.\d\d$/u.source });
const units = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const code = Type.String({ pattern: /^[A-Za-z]{3}$/u.source });

/** The part of Stripe's payment link (API reference, "Payment Link object") that we rely on. */
const link = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 191 }),
  url: Type.String({ pattern: /^https?:\/\/[^\s<>"]+$/u.source, maxLength: 2048 }),
  active: Type.Boolean(),
  /** Our metadata. `key`: the idempotency key under which the link was created. */
  metadata: Type.Object({ reference: word, amount, currency: code, key: word }),
});

export type StripeLink = Static<typeof link>;

/** A charge that is not expanded is its id. */
const charge = Type.Object({
  created: units,
  amount_refunded: units,
  disputed: Type.Boolean(),
  payment_method_details: maybe(Type.Object({ type: word })),
});

/** The part of a Checkout Session (API reference, "Checkout Session object") that we rely on, with its payment. */
const session = Type.Object({
  id: word,
  payment_status: Type.Unsafe<string>({ type: 'string', enum: ['paid', 'unpaid', 'no_payment_required'] }),
  amount_total: maybe(units),
  currency: maybe(code),
  created: units,
  payment_intent: maybe(Type.Object({ id: word, status: word, latest_charge: maybe(charge) })),
});

type StripeSession = Static<typeof session>;

const sessions = Type.Object({ data: Type.Array(session) });

const isLink = plainAjv.compile<StripeLink>(link);
const areSessions = plainAjv.compile<Static<typeof sessions>>(sessions);

/** @throws {GatewayUnavailable} for anything but one of our payment links. */
export function readStripeLink(body: unknown): StripeLink {
  if (isLink(body)) return body;
  throw unreadable();
}

/** The sessions of a list in which payments are expanded. @throws {GatewayUnavailable} for anything else. */
export function readStripeSessions(body: unknown): StripeSession[] {
  const withPayments = body as { data?: unknown };
  if (!Array.isArray(withPayments.data)) throw unreadable();
  // Open sessions are listed with only the id of their payment: it is left out.
  const data = (withPayments.data as Record<string, unknown>[]).map(({ payment_intent: payment, ...session }) => ({
    ...session,
    ...(typeof payment === 'object' && { payment_intent: payment }),
  }));
  const read = { data };
  if (!areSessions(read)) throw unreadable();
  return read.data;
}

/**
 * Returns the link once for each payment of its completed sessions, or once without a payment. A link is limited to one completed session.
 * Stripe's documentation does not say whether the limit holds for two payers who had the link open at the same time.
 */
export function linksOfStripe(link: StripeLink, completed: readonly StripeSession[]): [GatewayLink, ...GatewayLink[]] {
  const [first, ...others] = completed.filter(({ payment_status: status }) => status !== 'unpaid');
  const ofSession = (session: StripeSession | undefined): GatewayLink => linkOf(link, session);
  return [ofSession(first ?? completed[0]), ...others.map(ofSession)];
}

function linkOf(link: StripeLink, session: StripeSession | undefined): GatewayLink {
  const { reference, amount, currency } = link.metadata;
  const status = statusOf(link, session);
  const isPaid = status === 'paid' && session !== undefined;
  const paidIn = (isPaid && session.currency?.toUpperCase()) || currency;
  const charge = session?.payment_intent?.latest_charge ?? null;
  const units = session?.amount_total ?? null;
  return {
    id: link.id,
    reference,
    url: link.url,
    status,
    amount,
    currency: paidIn,
    paidAmount: isPaid && units !== null ? fromStripeUnits(units, paidIn) : null,
    paidAt: isPaid ? new Date((charge?.created ?? session.created) * 1_000) : null,
    paymentMethod: isPaid ? (charge?.payment_method_details?.type ?? null) : null,
    paymentId: isPaid ? (session.payment_intent?.id ?? null) : null,
    refundedAmount: isPaid && charge !== null ? fromStripeUnits(charge.amount_refunded, paidIn) : null,
    disputedAt: null,
    // It can be paid until it is deactivated.
    expiresAt: null,
  };
}

/** Statuses of failed payments, whose completed session stays unpaid (API reference, "PaymentIntent object", `status`). */
const failed: ReadonlySet<unknown> = new Set(['requires_payment_method', 'canceled']);

function statusOf({ active }: StripeLink, session: StripeSession | undefined): GatewayLinkStatus {
  if (session === undefined) return active ? 'pending' : 'expired';
  if (session.payment_status !== 'unpaid') return 'paid';
  return failed.has(session.payment_intent?.status) ? 'expired' : 'processing';
}
