import { gzipSync } from 'node:zlib';
import Router from '@koa/router';
import type { Middleware } from 'koa';
import { QueryTypes } from 'sequelize';
import { newestMigration } from '../../shared/kernel/database/migrate';
import { AppError, NotFound, ServiceUnavailable } from '../../shared/kernel/errors';
import { findGatewayRules } from '../../shared/paymentLinks';
import type { Services } from '../../shared/kernel/services';
import { OccasionalWarning } from '../../shared/kernel/OccasionalWarning';
import { GatewayCallbacks } from '../../shared/payments';
import type { Limits } from './limits/Limits';
import { openApiDocument } from './openapi/document';
import { routes } from '../routes';
import { negotiateGzip } from './routing/gzip';
import { serveRouter } from './routing/serveRouter';
import { jsonParser, MAX_JSON_BYTES } from './routing/readBody';
import { receiveBody } from './routing/receiveBody';

/** All callbacks together count against the limits like one company. */
const NO_COMPANY = 0;

/**
 * The routes without an API key: health, and the gateways' callbacks, which are authenticated by the gateway's signature or
 * token.
 */
export function publicRoutes(services: Services, limits: Limits, stopping: AbortSignal): Middleware {
  const router = new Router({ sensitive: true });
  router.get('/healthz', (ctx) => {
    ctx.body = { status: 'alive' };
  });
  // A Buffer, because all responses share its bytes; of a string each unread response would hold a copy.
  const document = Buffer.from(JSON.stringify(openApiDocument(routes, services.config.publicUrl)));
  const zippedDocument = gzipSync(document);
  router.get('/openapi.json', (ctx) => {
    const isZipped = negotiateGzip(ctx, document.length);
    if (isZipped) ctx.set('Content-Encoding', 'gzip');
    ctx.type = 'application/json';
    ctx.body = isZipped ? zippedDocument : document;
  });
  let checking: Promise<void> | null = null;
  router.get('/readyz', async (ctx) => {
    if (stopping.aborted) throw new ServiceUnavailable('this process (it is stopping)');
    // Without authentication, so concurrent requests share one check.
    checking ??= checkReady(services).finally(() => (checking = null));
    await checking;
    ctx.body = { status: 'ready', clockOffsetMs: services.databaseClock.offsetMs };
  });
  const callbacks = new GatewayCallbacks(services);
  const refused = new OccasionalWarning(services.log, 'a callback is refused: it is not authentic');
  router.post('/webhooks/gateway/:provider', async (ctx) => {
    const provider = ctx.params.provider ?? '';
    const rules = findGatewayRules(provider);
    if (rules === null) throw new NotFound('payment provider', 'route_not_found');
    const body = await receiveBody(ctx, limits, NO_COMPANY, MAX_JSON_BYTES);
    try {
      if (!rules.isAuthentic(body.bytes, ctx.headers, services.config.gateway)) {
        refused.note({ provider, ip: ctx.ip });
        throw new AppError('callback_not_authentic', 'the callback is not authentic', { status: 401 });
      }
      const parse = body.bytes.length > 0 ? jsonParser(ctx) : () => Promise.resolve(undefined);
      await limits.places.within(NO_COMPANY, ctx.res, async () => {
        const callback = rules.parseCallback(await parse(body.bytes));
        if (callback !== null) await callbacks.receive(provider, callback, String(ctx.state.requestId));
      });
    } finally {
      body.release();
    }
    ctx.body = { message: 'Received' };
  });
  return serveRouter(router);
}

/** @throws {ServiceUnavailable} naming the first of MySQL, its migrations, the file store and Redis that is not ready. */
async function checkReady({ sequelize, queues, storeCheck }: Services): Promise<void> {
  const done = await sequelize
    .query<{ name: string }>('SELECT name FROM schema_migrations', { type: QueryTypes.SELECT })
    .catch((error: unknown) => Promise.reject(new ServiceUnavailable('the database (or its schema)', error)));
  if (!done.some(({ name }) => name === newestMigration())) {
    throw new ServiceUnavailable('the newest database schema (run the migrations)');
  }
  await storeCheck.ensure();
  await queues.check();
}
