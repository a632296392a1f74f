import { createHmac } from 'node:crypto';
import type { SandboxLink } from './SandboxLink';
import { chargeOf, disputeOf, sessionsOf, stripePaymentId } from './stripeObjects';
import { xenditInvoice, xenditRefund } from './xenditObjects';

/** What a provider sends: the last part of the path, the headers that prove it, and the body. */
export interface Callback {
  provider: 'xendit' | 'stripe';
  headers: Record<string, string>;
  body: string;
}

/** The subject of a callback. */
export type News = 'link' | 'refund' | 'dispute';

/**
 * What the provider of a link sends about it: Xendit its token and the link or the refund, Stripe a signed event about the session,
 * the charge or the dispute. Null for the disputes of Xendit, of which its API says nothing.
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

/** The type of the event, and its object. In an event the payment is its id. */
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
