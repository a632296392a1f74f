import { randomBytes } from 'node:crypto';

/**
 * A payment link of either provider, with the fields of Xendit's invoice object, whose amounts are JSON numbers. Fields
 * of Stripe's links alone come last.
 */
export interface SandboxLink {
  id: string;
  external_id: string;
  user_id: string;
  status: 'PENDING' | 'PAID' | 'SETTLED' | 'EXPIRED';
  merchant_name: string;
  amount: number;
  currency: string;
  description: string;
  payer_email?: string;
  invoice_url: string;
  success_redirect_url?: string;
  should_send_email: boolean;
  expiry_date: string;
  created: string;
  updated: string;
  paid_amount?: number;
  paid_at?: string;
  payment_method?: string;
  payment_channel?: string;
  /** The refunded part of the payment, in the unit of `amount`. */
  refunded?: number;
  disputed_at?: string;
  /** Paid by a delayed method, which takes days. */
  processing?: boolean;
  wasDelayed?: boolean;
  /** That payment has failed. */
  failed?: boolean;
  provider?: 'stripe';
  metadata?: Record<string, string>;
  /** The requested and the paid amount, in the units of Stripe's API. */
  units?: number;
  paidUnits?: number;
  /** A payer has the page open, and can pay even after the link is deactivated. */
  openSession?: boolean;
  /** A second payer with an open page has paid as well. */
  paidTwice?: boolean;
}

/** The body of a create call. Other fields of the provider are accepted and ignored. */
export interface CreateBody {
  external_id: string;
  amount: number;
  currency?: string;
  description?: string;
  payer_email?: string;
  invoice_duration?: number;
  success_redirect_url?: string;
  should_send_email?: boolean;
}

/** Currencies in which the provider truncates decimals. */
const wholeUnits = new Set(['IDR', 'JPY', 'KRW', 'VND', 'CLP', 'ISK', 'PYG', 'UGX', 'RWF', 'XAF', 'XOF', 'XPF']);
const defaultSeconds = 86_400;

/** Returns a new link, payable until `invoice_duration` (seconds, a day when absent) from `now`. */
export function newLink(body: CreateBody, publicUrl: string, now: Date): SandboxLink {
  const id = randomBytes(12).toString('hex');
  const currency = body.currency ?? 'IDR';
  const expiry = new Date(now.getTime() + (body.invoice_duration ?? defaultSeconds) * 1000);
  return {
    id,
    external_id: body.external_id,
    user_id: 'sandbox',
    status: 'PENDING',
    merchant_name: 'Sandbox Merchant',
    amount: wholeUnits.has(currency) ? Math.trunc(body.amount) : body.amount,
    currency,
    description: body.description ?? '',
    ...(body.payer_email === undefined ? {} : { payer_email: body.payer_email }),
    invoice_url: `${publicUrl}/web/${id}`,
    ...(body.success_redirect_url === undefined ? {} : { success_redirect_url: body.success_redirect_url }),
    should_send_email: body.should_send_email ?? false,
    expiry_date: expiry.toISOString(),
    created: now.toISOString(),
    updated: now.toISOString(),
  };
}

/** The refunds of a link's payment as one refund of Xendit (API reference, "Refund object"). */
export const xenditRefund = ({ id, refunded = 0, currency, updated }: SandboxLink): object => ({
  id: `rfd-${id}-${Date.parse(updated)}`,
  invoice_id: id,
  amount: refunded,
  currency,
  status: 'SUCCEEDED',
  reason: 'REQUESTED_BY_CUSTOMER',
  created: updated,
  updated,
});

/**
 * A link as one invoice of Xendit (API reference, "Invoice object"). A payment that takes days is `PENDING` at Xendit;
 * here it is `PROCESSING`, so that it can be tried with both providers.
 */
export const xenditInvoice = (link: SandboxLink): object => ({
  ...link,
  status: link.processing === true ? 'PROCESSING' : link.status,
});
