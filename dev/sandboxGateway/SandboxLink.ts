import { randomBytes } from 'node:crypto';

/**
 * A payment link in the words of Xendit's invoice object, whichever provider it is of. Amounts are JSON numbers there. The fields that
 * only Stripe's links have stand last.
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
  /** What of the payment was paid back, in the unit of `amount`. */
  refunded?: number;
  disputed_at?: string;
  /** Paid by a method that takes days. */
  processing?: boolean;
  wasDelayed?: boolean;
  /** That payment has failed. */
  failed?: boolean;
  provider?: 'stripe';
  metadata?: Record<string, string>;
  /** What is asked for, and what was paid, in the units of Stripe's API. */
  units?: number;
  paidUnits?: number;
  /** A payer has its page open, and can pay even if the link is deactivated. */
  openSession?: boolean;
  /** A second payer, who had its page open, has paid as well. */
  paidTwice?: boolean;
}

/** What a create call may say; the rest of the provider's fields are accepted and ignored. */
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

/** The provider cuts decimals off in these. */
const wholeUnits = new Set(['IDR', 'JPY', 'KRW', 'VND', 'CLP', 'ISK', 'PYG', 'UGX', 'RWF', 'XAF', 'XOF', 'XPF']);
const defaultSeconds = 86_400;

/** A new link, payable until `invoice_duration` (seconds, a day when absent) from `now`. */
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
