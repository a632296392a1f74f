import { timingSafeEqual } from 'node:crypto';
import Router from '@koa/router';
import Ajv, { type JSONSchemaType } from 'ajv';
import type { Context, Next } from 'koa';
import type { Faults } from './Faults';
import type { LinkStore } from './LinkStore';
import { type CreateBody, newLink, xenditInvoice, xenditRefund } from './SandboxLink';
import { withFaults } from './withFaults';

const text = { type: 'string', nullable: true } as const;

const schema: JSONSchemaType<CreateBody> = {
  type: 'object',
  required: ['external_id', 'amount'],
  properties: {
    external_id: { type: 'string', minLength: 1, maxLength: 255 },
    amount: { type: 'number', exclusiveMinimum: 0 },
    currency: { type: 'string', enum: Intl.supportedValuesOf('currency'), nullable: true },
    description: text,
    payer_email: { type: 'string', pattern: /^[^@\s]+@[^@\s]+$/u.source, nullable: true },
    invoice_duration: { type: 'integer', minimum: 1, maximum: 31_536_000, nullable: true },
    success_redirect_url: { type: 'string', pattern: /^https?:\/\//u.source, nullable: true },
    should_send_email: { type: 'boolean', nullable: true },
  },
};

const ajv = new Ajv({ allErrors: true });
const validate = ajv.compile(schema);

/** Xendit's API: create, get, list by `external_id`, expire, list refunds; behind Basic authentication with the secret key. */
export function providerRoutes(links: LinkStore, faults: Faults, secretKey: string, publicUrl: () => string): Router {
  const router = new Router();
  const authenticate = basicAuthentication(secretKey);

  const create = (ctx: Context) => {
    const body: unknown = ctx.request.body;
    if (!validate(body)) {
      const errors = (validate.errors ?? []).map(({ instancePath, message }) => ({ path: instancePath, message }));
      return problem(ctx, 400, 'API_VALIDATION_ERROR', ajv.errorsText(validate.errors, { dataVar: 'body' }), errors);
    }
    ctx.body = xenditInvoice(links.put(newLink(body, publicUrl(), new Date())));
  };

  const list = (ctx: Context) => {
    const { external_id: reference, limit } = ctx.query;
    const most = Math.min(Number(limit ?? 10) || 10, 100);
    const ours = links.all().filter(({ provider }) => provider === undefined);
    const found = ours.filter((link) => reference === undefined || link.external_id === reference);
    ctx.body = found.reverse().slice(0, most).map(xenditInvoice);
  };

  const get = (ctx: Context) => {
    const link = links.get(idOf(ctx));
    if (!link) return problem(ctx, 404, 'INVOICE_NOT_FOUND_ERROR', 'Could not find invoice by the given id');
    ctx.body = xenditInvoice(link);
  };

  const refunds = (ctx: Context) => {
    const link = links.get(String(ctx.query['invoice_id']));
    ctx.body = { data: link?.refunded === undefined ? [] : [xenditRefund(link)], has_more: false };
  };

  const expire = (ctx: Context) => {
    const link = links.get(idOf(ctx));
    if (!link) return problem(ctx, 404, 'INVOICE_NOT_FOUND_ERROR', 'Could not find invoice by the given id');
    if (link.status !== 'PENDING' || link.processing === true) {
      return problem(ctx, 400, 'INVOICE_STATUS_ERROR', `Invoice is ${link.status} and cannot be expired`);
    }
    ctx.body = xenditInvoice(links.put({ ...link, status: 'EXPIRED', updated: new Date().toISOString() }));
  };

  router.post('/v2/invoices', authenticate, withFaults(faults, 'create', create));
  router.get('/v2/invoices', authenticate, withFaults(faults, 'list', list));
  router.get('/v2/invoices/:id', authenticate, withFaults(faults, 'get', get));
  router.get('/refunds', authenticate, withFaults(faults, 'get', refunds));
  router.post('/invoices/:id/expire\\!', authenticate, withFaults(faults, 'expire', expire));
  return router;
}

const idOf = (ctx: Context) => (ctx.params as { id: string }).id;

function problem(ctx: Context, status: number, code: string, message: string, errors?: object[]): void {
  ctx.status = status;
  ctx.body = { error_code: code, message, ...(errors ? { errors } : {}) };
}

function basicAuthentication(secretKey: string) {
  const expected = Buffer.from(`Basic ${Buffer.from(`${secretKey}:`).toString('base64')}`);
  return async (ctx: Context, next: Next): Promise<void> => {
    const given = Buffer.from(ctx.get('Authorization'));
    if (given.length === expected.length && timingSafeEqual(given, expected)) await next();
    else problem(ctx, 401, 'INVALID_API_KEY', 'API key is not authorized for this API service');
  };
}
