import Router from '@koa/router';
import type { Middleware } from 'koa';
import { QueryTypes } from 'sequelize';
import { newestMigration } from '../shared/database/migrate';
import { AppError, NotFound, ServiceUnavailable } from '../shared/errors';
import { gatewayRules, isGatewayProvider } from '../shared/gateways';
import type { Services } from '../shared/services';
import { receiveGatewayCallback } from '../shared/usecases/payments/receiveGatewayCallback';
import { openApiDocument } from './openapi';
import { routes } from './routes';
import { methodNotAllowed } from './routing/mountRoutes';
import { readJsonBody } from './routing/readBody';

/** What needs no API key: health, and the gateway's callbacks, which prove themselves. */
export function publicRoutes(services: Services): Middleware {
  const router = new Router({ sensitive: true });
  router.get('/healthz', (ctx) => {
    ctx.body = { status: 'alive' };
  });
  const document = JSON.stringify(openApiDocument(routes, services.config.publicUrl));
  router.get('/openapi.json', (ctx) => {
    ctx.type = 'application/json';
    ctx.body = document;
  });
  router.get('/readyz', async (ctx) => {
    await checkReady(services);
    ctx.body = { status: 'ready' };
  });
  router.post('/webhooks/gateway/:provider', async (ctx) => {
    const provider = ctx.params.provider ?? '';
    if (!isGatewayProvider(provider)) throw new NotFound('payment provider', 'route_not_found');
    const rules = gatewayRules(provider);
    if (!rules.isAuthentic(ctx.headers, services.config.gateway)) {
      services.log.warn({ provider, ip: ctx.ip }, 'a callback is refused: its token is not the configured one');
      throw new AppError('callback_not_authentic', 'the callback is not authentic', { status: 401 });
    }
    const callback = rules.parseCallback(await readJsonBody(ctx));
    if (callback !== null) await receiveGatewayCallback(services, callback);
    ctx.body = { message: 'Received' };
  });
  const serve = router.routes() as unknown as Middleware;
  return async (ctx, next) => {
    await serve(ctx, () => {
      const refusal = methodNotAllowed(router, ctx);
      return refusal === null ? next() : Promise.reject(refusal);
    });
  };
}

/** @throws {ServiceUnavailable} naming the first of MySQL, its migrations, the file store and Redis that is not there. */
async function checkReady({ sequelize, queues, storeCheck }: Services): Promise<void> {
  const done = await sequelize
    .query<{ name: string }>('SELECT name FROM schema_migrations', { type: QueryTypes.SELECT })
    .catch((error: unknown) => Promise.reject(new ServiceUnavailable('the database (or its schema)', error)));
  if (!done.some(({ name }) => name === newestMigration())) {
    throw new ServiceUnavailable('the newest database schema (run the migrations)');
  }
  await storeCheck.ensure();
  await queues.ping();
}
