import { type Static, Type } from '@sinclair/typebox';
import { plainAjv } from '../../shared/engine/schemas';
import { linkStatus } from '../../shared/paymentLinks';
import { formatDecimal, parseDecimal } from '../../shared/money/money';
import { maybe } from './responses';
import type { GatewayLink, NewLink } from './Gateway';

/** The largest amount that we store; a JSON number holds it exactly to the cent. */
const largestAmount = 9_999_999_999_999.99;

const amount = Type.Number({ minimum: 0, maximum: largestAmount });
const time = maybe(Type.String({ format: 'date-time' }));
const word = maybe(Type.String({ maxLength: 255 }));

/** The part of Xendit's invoice object (API reference, "Invoice object") that we rely on. */
const invoice = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 191 }),
  external_id: Type.String({ minLength: 1 }),
  status: Type.Unsafe<string>({ type: 'string', enum: ['PENDING', 'PROCESSING', 'PAID', 'SETTLED', 'EXPIRED'] }),
  amount,
  currency: maybe(Type.String({ pattern: /^[A-Z]{3}$/u.source })),
  invoice_url: Type.String({ pattern: /^https?:\/\/[^\s<>"]+$/u.source, maxLength: 2048 }),
  paid_amount: maybe(amount),
  paid_at: time,
  payment_method: word,
  payment_channel: word,
  expiry_date: time,
});

const validate = plainAjv.compile<Static<typeof invoice>>(invoice);

/** Returns the link that Xendit's invoice object describes, or null if the object has not the expected form. */
export function linkOfXenditInvoice(body: unknown): GatewayLink | null {
  if (!validate(body)) return null;
  const status = linkStatus(body.status);
  if (status === null) return null;
  return {
    id: body.id,
    reference: body.external_id,
    url: body.invoice_url,
    status,
    amount: decimal(body.amount),
    // Responses for IDR invoices may omit the currency: IDR is the default (API reference, "Create invoice").
    currency: body.currency ?? 'IDR',
    paidAmount: body.paid_amount === null || body.paid_amount === undefined ? null : decimal(body.paid_amount),
    paidAt: date(body.paid_at),
    paymentMethod: body.payment_channel ?? body.payment_method ?? null,
    paymentId: status === 'paid' ? body.id : null,
    refundedAmount: null,
    disputedAt: null,
    expiresAt: date(body.expiry_date),
  };
}

const refunds = Type.Object({ data: Type.Array(Type.Object({ amount, status: Type.String() })) });

const areRefunds = plainAjv.compile<Static<typeof refunds>>(refunds);

/** Returns the sum of the refunds in Xendit's list (API reference, "List refunds"); null if it is not such a list. */
export function refundedOfXendit(body: unknown): string | null {
  if (!areRefunds(body)) return null;
  const succeeded = body.data.filter(({ status }) => status === 'SUCCEEDED');
  return formatDecimal(succeeded.reduce((sum, { amount }) => sum + parseDecimal(decimal(amount)), 0n));
}

/**
 * Returns the JSON text of the request for a link, or null if its amount is not above 0 or a JSON number cannot hold it exactly. Up to 15
 * significant digits, the shortest form of a double is the decimal that it was parsed from.
 */
export function requestOfNewLink(link: NewLink): string | null {
  const amount = Number(link.amount);
  if (!(amount > 0 && amount <= largestAmount) || decimal(amount) !== link.amount) return null;
  return JSON.stringify({
    external_id: link.reference,
    amount,
    currency: link.currency,
    description: link.description,
    invoice_duration: link.durationSeconds,
    should_send_email: false,
    ...(link.payerEmail === null ? {} : { payer_email: link.payerEmail }),
    ...(link.successUrl === undefined ? {} : { success_redirect_url: link.successUrl }),
  });
}

const decimal = (amount: number) => amount.toFixed(2);

const date = (text: string | null | undefined) => (text === null || text === undefined ? null : new Date(text));
