import Router from '@koa/router';
import type { Context } from 'koa';
import { toStripeUnits } from '../../shared/paymentLinks/gateways/stripeAmounts';
import type { News } from './callbackOf';
import type { LinkStore } from './LinkStore';
import { payPage, unknownLinkPage } from './payPage';
import type { SandboxLink } from './SandboxLink';

/**
 * The page of a link, and the actions of a payer: `POST {invoice_url}/pay`, with a JSON body `{ "amount": n }` for an
 * amount other than the requested one, or `{ "delayed": true }` for a method that takes days, which `POST
 * {invoice_url}/settle` ends with `{ "outcome": "paid" }` (`failed`, `expired`). Later events: `POST
 * {invoice_url}/refund` with `{ "amount": n }` for a part, and `…/dispute`. A browser is redirected to the page, others
 * get the link as JSON. Each calls `changed`.
 */
export function payRoutes(links: LinkStore, changed: (link: SandboxLink, news: News) => void): Router {
  const router = new Router();

  router.get('/web/:id', (ctx: Context) => {
    let link = links.get(idOf(ctx));
    if (link?.provider === 'stripe' && link.status === 'PENDING') link = links.put({ ...link, openSession: true });
    ctx.type = 'html';
    ctx.status = link ? 200 : 404;
    ctx.body = link ? payPage(link) : unknownLinkPage();
  });

  const act = (news: News, change: (link: SandboxLink, body: PayBody) => SandboxLink | null) => (ctx: Context) => {
    const link = links.get(idOf(ctx));
    if (!link) return respond(ctx, 404, { error_code: 'INVOICE_NOT_FOUND_ERROR', message: 'No such link' });
    const after = change(link, bodyOf(ctx));
    if (after === null) {
      const state = link.processing === true ? 'PROCESSING' : link.status;
      const message = `This link is ${state}, so this cannot be done`;
      return respond(ctx, 409, { error_code: 'INVOICE_STATUS_ERROR', message });
    }
    changed(links.put(after), news);
    return respond(ctx, 200, after);
  };

  router.post(
    '/web/:id/pay',
    act('link', (link, body) => (isPayable(link) ? paid(link, body) : null)),
  );
  router.post(
    '/web/:id/settle',
    act('link', (link, body) => (link.processing === true ? settled(link, body) : null)),
  );
  router.post('/web/:id/refund', act('refund', refunded));
  router.post('/web/:id/dispute', act('dispute', disputed));
  return router;
}

interface PayBody {
  amount?: unknown;
  delayed?: unknown;
  outcome?: unknown;
}

const bodyOf = (ctx: Context): PayBody => (ctx.request.body ?? {}) as PayBody;

/** The open page of a Stripe link can be paid after the link was deactivated. */
function isPayable({ status, processing, openSession, failed }: SandboxLink): boolean {
  if (processing === true || failed === true) return false;
  return status === 'PENDING' || (status === 'EXPIRED' && openSession === true);
}

function paid(link: SandboxLink, { amount, delayed }: PayBody): SandboxLink {
  if (delayed === true)
    return { ...link, processing: true, wasDelayed: true, openSession: false, updated: new Date().toISOString() };
  return paymentOf(link, typeof amount === 'number' && amount > 0 ? amount : undefined);
}

function settled(link: SandboxLink, { outcome }: PayBody): SandboxLink {
  const ended = { ...link, processing: false };
  // A link of Stripe can be completed once, one of Xendit can then be paid by another method.
  if (outcome === 'failed') return link.provider === 'stripe' ? { ...ended, failed: true, status: 'EXPIRED' } : ended;
  return outcome === 'expired' ? { ...ended, failed: true, status: 'EXPIRED' } : paymentOf(ended);
}

/** Returns null if the refunds would exceed the payment. */
function refunded(link: SandboxLink, { amount }: PayBody): SandboxLink | null {
  const { status, paid_amount: paid = 0, refunded: before = 0 } = link;
  const part = amount === undefined ? paid - before : Number(amount);
  const after = Math.round((before + part) * 100) / 100;
  if (status !== 'PAID' || !(part > 0) || after > paid) return null;
  return { ...link, refunded: after, updated: new Date().toISOString() };
}

function disputed(link: SandboxLink): SandboxLink | null {
  const now = new Date().toISOString();
  return link.status === 'PAID' ? { ...link, disputed_at: now, updated: now } : null;
}

const idOf = (ctx: Context) => (ctx.params as { id: string }).id;

function paymentOf(link: SandboxLink, amount?: number): SandboxLink {
  const now = new Date().toISOString();
  const method = { payment_method: 'BANK_TRANSFER', payment_channel: 'SANDBOX', openSession: false };
  const units = link.provider === 'stripe' &&
    amount !== undefined && { paidUnits: toStripeUnits(amount.toFixed(2), link.currency) };
  return {
    ...link,
    status: 'PAID',
    paid_amount: amount ?? link.amount,
    paid_at: now,
    updated: now,
    ...method,
    ...units,
  };
}

function respond(ctx: Context, status: number, body: object): void {
  if (ctx.accepts('json', 'html') === 'html') {
    ctx.redirect(`/web/${idOf(ctx)}`);
    ctx.status = 303;
    return;
  }
  ctx.status = status;
  ctx.body = body;
}
