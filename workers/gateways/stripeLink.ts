import Ajv, { type JSONSchemaType } from 'ajv';
import { GatewayUnavailable } from '../../shared/engine/errors';
import { fromStripeUnits } from '../../shared/paymentLinks';
import type { GatewayLink, GatewayLinkStatus } from './Gateway';

/** The part of Stripe's payment link (API reference, "Payment Link object") that we rely on. The metadata is ours. */
export interface StripeLink {
  id: string;
  url: string;
  active: boolean;
  /** `key`: the idempotency key that it was made under. */
  metadata: { reference: string; amount: string; currency: string; key: string };
}

/** The part of a Checkout Session (API reference, "Checkout Session object") that we rely on, with its payment. */
export interface StripeSession {
  id: string;
  payment_status: 'paid' | 'unpaid' | 'no_payment_required';
  amount_total?: number | null;
  currency?: string | null;
  created: number;
  payment_intent?: { id: string; status: string; latest_charge?: StripeCharge | null } | null;
}

interface StripeCharge {
  created: number;
  amount_refunded: number;
  disputed: boolean;
  payment_method_details?: { type: string } | null;
}

const word = { type: 'string', minLength: 1, maxLength: 255 } as const;
const amount = { type: 'string', pattern: /^\d{1,13}\.\d\d$/u.source } as const;
const units = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER } as const;
const code = { type: 'string', pattern: /^[A-Za-z]{3}$/u.source } as const;

const linkSchema: JSONSchemaType<StripeLink> = {
  type: 'object',
  required: ['id', 'url', 'active', 'metadata'],
  properties: {
    id: { type: 'string', minLength: 1, maxLength: 191 },
    url: { type: 'string', pattern: /^https?:\/\/[^\s<>"]+$/u.source, maxLength: 2048 },
    active: { type: 'boolean' },
    metadata: {
      type: 'object',
      required: ['reference', 'amount', 'currency', 'key'],
      properties: { reference: word, amount, currency: code, key: word },
    },
  },
};

/** A charge that is not expanded is its id. */
const expanded = { type: 'object', nullable: true } as const;

const sessionsSchema: JSONSchemaType<{ data: StripeSession[] }> = {
  type: 'object',
  required: ['data'],
  properties: {
    data: {
      type: 'array',
      items: {
        type: 'object',
        required: ['id', 'payment_status', 'created'],
        properties: {
          id: word,
          payment_status: { type: 'string', enum: ['paid', 'unpaid', 'no_payment_required'] },
          amount_total: { ...units, nullable: true },
          currency: { ...code, nullable: true },
          created: units,
          payment_intent: {
            ...expanded,
            required: ['id', 'status'],
            properties: {
              id: word,
              status: word,
              latest_charge: {
                ...expanded,
                required: ['created', 'amount_refunded', 'disputed'],
                properties: {
                  created: units,
                  amount_refunded: units,
                  disputed: { type: 'boolean' },
                  payment_method_details: { ...expanded, required: ['type'], properties: { type: word } },
                },
              },
            },
          },
        },
      },
    },
  },
};

const ajv = new Ajv();
const isLink = ajv.compile(linkSchema);
const areSessions = ajv.compile(sessionsSchema);

/** @throws {GatewayUnavailable} for anything but a payment link of ours. */
export function readStripeLink(body: unknown): StripeLink {
  if (isLink(body)) return body;
  throw unreadable();
}

/** The sessions of a list in which payments are expanded. @throws {GatewayUnavailable} for anything else. */
export function readStripeSessions(body: unknown): StripeSession[] {
  const withPayments = body as { data?: unknown };
  if (!Array.isArray(withPayments.data)) throw unreadable();
  // Open sessions are listed without their payments, of which only the id is there.
  const data = (withPayments.data as Record<string, unknown>[]).map(({ payment_intent: payment, ...session }) => ({
    ...session,
    ...(typeof payment === 'object' && { payment_intent: payment }),
  }));
  const read = { data };
  if (!areSessions(read)) throw unreadable();
  return read.data;
}

export const unreadable = (outcomeUnknown = true): GatewayUnavailable =>
  new GatewayUnavailable('the payment gateway gave a response that is not understood', { outcomeUnknown });

/** The link with what its completed sessions say: at most one, since a link can be completed once. */
export function linkOfStripe(link: StripeLink, completed: readonly StripeSession[]): GatewayLink {
  const { reference, amount, currency } = link.metadata;
  const session = completed.find(({ payment_status: status }) => status === 'paid') ?? completed[0];
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

/** Payments that have failed, so that a completed session stays unpaid (API reference, "PaymentIntent object", `status`). */
const failed: ReadonlySet<unknown> = new Set(['requires_payment_method', 'canceled']);

function statusOf({ active }: StripeLink, session: StripeSession | undefined): GatewayLinkStatus {
  if (session === undefined) return active ? 'pending' : 'expired';
  if (session.payment_status !== 'unpaid') return 'paid';
  return failed.has(session.payment_intent?.status) ? 'expired' : 'processing';
}
