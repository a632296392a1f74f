import Router from '@koa/router';
import type { Middleware } from 'koa';
import { QueryTypes } from 'sequelize';
import { newestMigration } from '../shared/database/migrate';
import { AppError, NotFound, ServiceUnavailable } from '../shared/errors';
import { gatewayRules, isGatewayProvider } from '../shared/gateways';
import type { Services } from '../shared/services';
import { OccasionalWarning } from '../shared/OccasionalWarning';
import { GatewayCallbacks } from '../shared/usecases/payments/GatewayCallbacks';
import type { Limits } from './limits/Limits';
import { openApiDocument } from './openapi';
import { routes } from './routes';
import { methodNotAllowed } from './routing/mountRoutes';
import { readJsonBody } from './routing/readBody';

/** Callbacks are counted against the limits as if they were of a company of their own. */
const NO_COMPANY = 0;

/** What needs no API key: health, and the gateway's callbacks, which prove themselves. */
export function publicRoutes(services: Services, limits: Limits, stopping: AbortSignal): Middleware {
  const router = new Router({ sensitive: true });
  router.get('/healthz', (ctx) => {
    ctx.body = { status: 'alive' };
  });
  // Bytes: every response is the same ones, where each would hold a copy of a text until it is read.
  const document = Buffer.from(JSON.stringify(openApiDocument(routes, services.config.publicUrl)));
  router.get('/openapi.json', (ctx) => {
    ctx.type = 'application/json';
    ctx.body = document;
  });
  let checking: Promise<void> | null = null;
  router.get('/readyz', async (ctx) => {
    if (stopping.aborted) throw new ServiceUnavailable('this process (it is stopping)');
    // Anyone may ask: however many do, there is one check at a time.
    checking ??= checkReady(services).finally(() => (checking = null));
    await checking;
    ctx.body = { status: 'ready', clockOffsetMs: services.databaseClock.offsetMs };
  });
  const callbacks = new GatewayCallbacks(services);
  const refused = new OccasionalWarning(services.log, 'a callback is refused: its token is not the configured one');
  router.post('/webhooks/gateway/:provider', async (ctx) => {
    const provider = ctx.params.provider ?? '';
    if (!isGatewayProvider(provider)) throw new NotFound('payment provider', 'route_not_found');
    const rules = gatewayRules(provider);
    if (!rules.isAuthentic(ctx.headers, services.config.gateway)) {
      refused.note({ provider, ip: ctx.ip });
      throw new AppError('callback_not_authentic', 'the callback is not authentic', { status: 401 });
    }
    const body = await readJsonBody(ctx, limits, NO_COMPANY);
    const receive = async (): Promise<void> => {
      const callback = rules.parseCallback(await body.parse());
      if (callback !== null) await callbacks.receive(callback);
    };
    await limits.places.within(NO_COMPANY, ctx.res, receive).finally(() => body.release());
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
