import { createHmac } from 'node:crypto';
import { type SandboxLink, xenditInvoice, xenditRefund } from './SandboxLink';
import { chargeOf, disputeOf, sessionsOf, stripePaymentId } from './stripeObjects';

/** A callback of a provider: the last part of its path, its headers with the token or signature, and its body. */
export interface Callback {
  provider: 'xendit' | 'stripe';
  headers: Record<string, string>;
  body: string;
}

/** The subject of a callback. */
export type News = 'link' | 'refund' | 'dispute';

/**
 * Returns the callback about a link: of Xendit with its token and the link or refund; of Stripe a signed event about
 * the session, the charge or the dispute. Returns null for a dispute of Xendit, whose API does not report them.
 */
export function callbackOf(link: SandboxLink, news: News, token: string): Callback | null {
  if (link.provider !== 'stripe') {
    const body =
      news === 'link'
        ? xenditInvoice(link)
        : { event: 'refund.succeeded', created: link.updated, data: xenditRefund(link) };
    const callback = { headers: { 'x-callback-token': token }, body: JSON.stringify(body) };
    return news === 'dispute' ? null : { provider: 'xendit', ...callback };
  }
  const time = Math.floor(Date.now() / 1_000);
  const [type, object] = stripeNews(link, news);
  const body = JSON.stringify({
    id: `evt_${link.id}_${Date.parse(link.updated)}`,
    object: 'event',
    type,
    data: { object },
  });
  const signature = createHmac('sha256', token).update(`${time}.${body}`).digest('hex');
  return { provider: 'stripe', headers: { 'Stripe-Signature': `t=${time},v1=${signature}` }, body };
}

/** Returns the type of the event and its object. Events name the payment by its id. */
function stripeNews(link: SandboxLink, news: News): [string, object] {
  const payment = { payment_intent: stripePaymentId(link) };
  if (news === 'refund') return ['charge.refunded', { ...chargeOf(link), ...payment, metadata: link.metadata }];
  if (news === 'dispute') return ['charge.dispute.created', { ...disputeOf(link), ...payment }];
  const session = sessionsOf(link).find(({ status }) => status === 'complete');
  const paidBy = session?.['payment_intent'] as { id: string } | undefined;
  return [typeOf(link), { ...session, payment_intent: paidBy?.id }];
}

function typeOf({ processing, failed, wasDelayed }: SandboxLink): string {
  if (failed === true) return 'checkout.session.async_payment_failed';
  if (wasDelayed === true && processing !== true) return 'checkout.session.async_payment_succeeded';
  return 'checkout.session.completed';
}
