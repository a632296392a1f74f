import { randomBytes, timingSafeEqual } from 'node:crypto';
import Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import { fromStripeUnits } from '../../shared/paymentLinks/gateways/stripeAmounts';
import type { Faults } from './Faults';
import type { LinkStore } from './LinkStore';
import type { SandboxLink } from './SandboxLink';
import { disputeOf, sessionsOf, stripeLinkOf, stripePaymentId } from './stripeObjects';
import { withFaults } from './withFaults';

/** The stored response of an idempotency key. Stripe keeps it for a day, 5xx included. */
interface Stored {
  request: string;
  status: number;
  body: unknown;
}

/** The body of a call, whose names like `metadata[reference]` are parsed. */
interface Form {
  line_items?: { price_data?: { currency?: string; unit_amount?: string; product_data?: { name?: string } } }[];
  restrictions?: { completed_sessions?: { limit?: string } };
  metadata?: Record<string, string>;
  after_completion?: { redirect?: { url?: string } };
  active?: string;
}

/**
 * Stripe's API as far as payment links need it: create, get, deactivate and list links, list and expire their sessions,
 * list disputes.
 */
export function stripeRoutes(links: LinkStore, faults: Faults, secretKey: string, publicUrl: () => string): Router {
  const router = new Router({ prefix: '/v1' });
  const stored = new Map<string, Stored | null>();
  router.use(bearer(secretKey));

  const create = (ctx: Context): void => {
    const form = formOf(ctx);
    const link = newStripeLink(form, publicUrl());
    if (typeof link === 'string') return problem(ctx, 400, 'parameter_invalid', link);
    ctx.body = stripeLinkOf(links.put(link));
  };
  const get = (ctx: Context): void => {
    const link = find(ctx);
    if (link) ctx.body = stripeLinkOf(link);
  };
  const update = (ctx: Context): void => {
    const link = find(ctx);
    if (!link) return;
    const ends = formOf(ctx).active === 'false' && link.status === 'PENDING' && link.processing !== true;
    ctx.body = stripeLinkOf(ends ? links.put({ ...link, status: 'EXPIRED', updated: new Date().toISOString() }) : link);
  };
  const list = (ctx: Context): void => {
    const { limit, starting_after: after } = ctx.query;
    const newest = ours().reverse();
    const from = newest.findIndex(({ id }) => id === after) + 1;
    const most = Math.min(Number(limit ?? 10) || 10, 100);
    const data = newest.slice(from, from + most).map(stripeLinkOf);
    ctx.body = { object: 'list', data, has_more: newest.length > from + most, url: '/v1/payment_links' };
  };
  const listSessions = (ctx: Context): void => {
    const link = links.get(String(ctx.query['payment_link']));
    const data = link === undefined ? [] : sessionsOf(link).filter(({ status }) => status === ctx.query['status']);
    ctx.body = { object: 'list', data, has_more: false, url: '/v1/checkout/sessions' };
  };
  const expireSession = (ctx: Context): void => {
    const id = String((ctx.params as { id: string }).id);
    const link = ours().find((one) => sessionsOf(one).some((session) => session.id === id));
    if (!link) return problem(ctx, 404, 'resource_missing', `No such checkout.session: '${id}'`);
    if (link.openSession !== true) return problem(ctx, 400, 'checkout_session_not_open', 'This session is not open');
    ctx.body = { id, object: 'checkout.session', status: 'expired' };
    links.put({ ...link, openSession: false });
  };

  const listDisputes = (ctx: Context): void => {
    const payment = ctx.query['payment_intent'];
    const disputed = ours().filter((link) => link.disputed_at !== undefined && stripePaymentId(link) === payment);
    ctx.body = { object: 'list', data: disputed.map(disputeOf), has_more: false, url: '/v1/disputes' };
  };

  const ours = (): SandboxLink[] => links.all().filter(({ provider }) => provider === 'stripe');
  const find = (ctx: Context): SandboxLink | undefined => {
    const { id } = ctx.params as { id: string };
    const link = links.get(id);
    if (link?.provider === 'stripe') return link;
    problem(ctx, 404, 'resource_missing', `No such payment link: '${id}'`);
    return undefined;
  };

  router.post('/payment_links', idempotent(stored), withFaults(faults, 'create', create));
  router.get('/payment_links', withFaults(faults, 'list', list));
  router.get('/payment_links/:id', withFaults(faults, 'get', get));
  router.post('/payment_links/:id', withFaults(faults, 'expire', update));
  router.get('/checkout/sessions', withFaults(faults, 'get', listSessions));
  router.get('/disputes', withFaults(faults, 'get', listDisputes));
  router.post('/checkout/sessions/:id/expire', withFaults(faults, 'expire', expireSession));
  return router;
}

/** Returns a new link, or the problem of the form. */
function newStripeLink(form: Form, publicUrl: string): SandboxLink | string {
  const price = form.line_items?.[0]?.price_data ?? {};
  const currency = price.currency?.toUpperCase() ?? '';
  const units = price.unit_amount ?? '';
  if (!/^[1-9]\d{0,14}$/.test(units)) return 'Invalid integer: line_items[0][price_data][unit_amount]';
  if (!Intl.supportedValuesOf('currency').includes(currency)) return `Invalid currency: ${currency.toLowerCase()}`;
  if (form.restrictions?.completed_sessions?.limit !== '1') return 'The sandbox knows links that are paid once';
  const metadata = form.metadata ?? {};
  const id = `plink_${randomBytes(12).toString('hex')}`;
  const now = new Date().toISOString();
  const back = form.after_completion?.redirect?.url;
  return {
    id,
    provider: 'stripe',
    external_id: metadata['reference'] ?? '',
    metadata,
    user_id: 'sandbox',
    status: 'PENDING',
    merchant_name: 'Sandbox Merchant',
    amount: Number(fromStripeUnits(Number(units), currency)),
    units: Number(units),
    currency,
    description: price.product_data?.name ?? '',
    invoice_url: `${publicUrl}/web/${id}`,
    ...(back !== undefined && { success_redirect_url: back }),
    should_send_email: false,
    // Stripe's links do not expire.
    expiry_date: '9999-12-31T00:00:00.000Z',
    created: now,
    updated: now,
  };
}

/**
 * Repeats a response that is stored under the request's key. Another request under it, or one in progress, is refused.
 */
function idempotent(stored: Map<string, Stored | null>): Middleware {
  return async (ctx, next) => {
    const key = ctx.get('Idempotency-Key');
    const request = JSON.stringify(ctx.request.body);
    const known = stored.get(key);
    if (known === null) return problem(ctx, 409, 'idempotency_key_in_use', 'A request under this key is in progress');
    if (known !== undefined && known.request !== request) {
      return problem(
        ctx,
        400,
        'idempotency_error',
        'A key can only be used with the same parameters',
        'idempotency_error',
      );
    }
    if (known !== undefined) {
      ctx.set('Idempotent-Replayed', 'true');
      ctx.status = known.status;
      ctx.body = known.body;
      return;
    }
    if (key !== '') stored.set(key, null);
    await next();
    stored.delete(key);
    // A refused request (4xx) and one without a response are not stored.
    const isKept = key !== '' && (ctx.status < 300 || ctx.status >= 500) && ctx.body !== undefined;
    if (isKept) stored.set(key, { request, status: ctx.status, body: ctx.body });
  };
}

const formOf = (ctx: Context): Form => (ctx.request.body ?? {}) as Form;

function problem(ctx: Context, status: number, code: string, message: string, type = 'invalid_request_error'): void {
  ctx.status = status;
  ctx.body = { error: { type, code, message } };
}

function bearer(secretKey: string): Middleware {
  const expected = Buffer.from(`Bearer ${secretKey}`);
  return async (ctx, next) => {
    const given = Buffer.from(ctx.get('Authorization'));
    if (given.length === expected.length && timingSafeEqual(given, expected)) await next();
    else problem(ctx, 401, 'api_key_invalid', 'Invalid API Key provided');
  };
}
