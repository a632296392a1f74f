import { toStripeUnits } from '../../shared/paymentLinks/gateways/stripeAmounts';
import type { SandboxLink } from './SandboxLink';

/** A link as Stripe's API shows it (API reference, "Payment Link object"). */
export const stripeLinkOf = ({ id, status, invoice_url: url, metadata, processing }: SandboxLink): object => ({
  id,
  object: 'payment_link',
  active: status === 'PENDING' && processing !== true,
  url,
  metadata,
  livemode: false,
});

interface Session {
  id: string;
  status: 'open' | 'complete';
  [field: string]: unknown;
}

const seconds = (iso: string): number => Math.floor(Date.parse(iso) / 1_000);

/** Returns the sessions of a link: the completed ones, and the one that a payer has open. */
export function sessionsOf(link: SandboxLink): Session[] {
  const { id, metadata, currency, units = 0, openSession, created } = link;
  const base = {
    object: 'checkout.session',
    payment_link: id,
    metadata,
    currency: currency.toLowerCase(),
    created: seconds(created),
  };
  const open: Session[] =
    openSession === true ? [{ ...base, id: `cs_${id}_open`, status: 'open', payment_status: 'unpaid' }] : [];
  const payment = paymentOf(link);
  if (payment === null) return open;
  const paid = link.status === 'PAID' ? 'paid' : 'unpaid';
  const completed = {
    ...base,
    status: 'complete' as const,
    payment_status: paid,
    amount_total: link.paidUnits ?? units,
  };
  const second = { ...payment, id: `${stripePaymentId(link)}_2` };
  return [
    ...open,
    ...(link.paidTwice === true ? [{ ...completed, id: `cs_${id}_2`, payment_intent: second }] : []),
    { ...completed, id: `cs_${id}`, payment_intent: payment },
  ];
}

/** The payment of a completed session, with its charge; null before. */
function paymentOf(link: SandboxLink): object | null {
  const { status, processing, failed } = link;
  const intent = { id: stripePaymentId(link), object: 'payment_intent' };
  if (processing === true) return { ...intent, status: 'processing', latest_charge: null };
  if (failed === true) return { ...intent, status: 'requires_payment_method', latest_charge: null };
  if (status !== 'PAID') return null;
  return { ...intent, status: 'succeeded', latest_charge: chargeOf(link) };
}

export const stripePaymentId = ({ id }: SandboxLink): string => `pi_${id}`;

/** The charge of a paid link (API reference, "Charge object"). */
export const chargeOf = (link: SandboxLink): object => {
  const { id, currency, refunded = 0, paid_at: paidAt, updated } = link;
  return {
    id: `ch_${id}`,
    object: 'charge',
    created: seconds(paidAt ?? updated),
    amount_refunded: toStripeUnits(refunded.toFixed(2), currency),
    disputed: link.disputed_at !== undefined,
    payment_method_details: { type: 'card' },
  };
};

/** The dispute of a link's payment (API reference, "Dispute object"). */
export const disputeOf = ({ id, disputed_at: disputedAt, updated }: SandboxLink): object => ({
  id: `dp_${id}`,
  object: 'dispute',
  charge: `ch_${id}`,
  created: seconds(disputedAt ?? updated),
  status: 'needs_response',
});
