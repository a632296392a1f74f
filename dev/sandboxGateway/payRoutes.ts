import Router from '@koa/router';
import type { Context } from 'koa';
import type { LinkStore } from './LinkStore';
import { payPage, unknownLinkPage } from './payPage';
import type { SandboxLink } from './SandboxLink';

/**
 * The page behind a link, and `POST {invoice_url}/pay`: a browser gets the page again, others the link as JSON. A JSON body
 * `{ "amount": n }` pays another amount than was asked. `paid` is called after each payment.
 */
export function payRoutes(links: LinkStore, paid: (link: SandboxLink) => void): Router {
  const router = new Router();

  router.get('/web/:id', (ctx: Context) => {
    const link = links.get(idOf(ctx));
    ctx.type = 'html';
    ctx.status = link ? 200 : 404;
    ctx.body = link ? payPage(link) : unknownLinkPage();
  });

  router.post('/web/:id/pay', (ctx: Context) => {
    const link = links.get(idOf(ctx));
    if (!link) return answer(ctx, 404, { error_code: 'INVOICE_NOT_FOUND_ERROR', message: 'No such link' });
    if (link.status !== 'PENDING') {
      const message = `This link is ${link.status} and cannot be paid`;
      return answer(ctx, 409, { error_code: 'INVOICE_STATUS_ERROR', message });
    }
    const payment = links.put(paymentOf(link, amountIn(ctx.request.body)));
    paid(payment);
    return answer(ctx, 200, payment);
  });

  return router;
}

const idOf = (ctx: Context) => (ctx.params as { id: string }).id;

function amountIn(body: unknown): number | undefined {
  const { amount } = (body ?? {}) as { amount?: unknown };
  return typeof amount === 'number' && amount > 0 ? amount : undefined;
}

function paymentOf(link: SandboxLink, amount = link.amount): SandboxLink {
  const now = new Date().toISOString();
  const method = { payment_method: 'BANK_TRANSFER', payment_channel: 'SANDBOX' };
  return { ...link, status: 'PAID', paid_amount: amount, paid_at: now, updated: now, ...method };
}

function answer(ctx: Context, status: number, body: object): void {
  if (ctx.accepts('json', 'html') === 'html') {
    ctx.redirect(`/web/${idOf(ctx)}`);
    ctx.status = 303;
    return;
  }
  ctx.status = status;
  ctx.body = body;
}
