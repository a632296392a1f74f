import { setTimeout as sleep } from 'node:timers/promises';
import Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import { checkSchema } from '../../shared/engine/migrations';
import { RequestAborted, ServiceUnavailable } from '../../shared/engine/errors';
import { endings } from '../../shared/engine/fair';
import type { Services } from '../../shared/services';
import { openApiDocument } from './openapi/document';
import { receiveSendGridEvents } from '../emails/receiveSendGridEvents';
import { receiveGatewayCallbacks } from '../payments/receiveGatewayCallbacks';
import { addInvoicePages } from '../hostedPages/invoicePages';
import { Pace } from './limits/Pace';
import { REFUSED_AFTER_MS } from './limits/refusedAfter';
import { addReference } from '../reference/addReference';
import { routes } from '../routes';
import { type FixedResponse, fixedResponse, sendFixed } from './routing/sendFixed';
import { callbackReceiver } from './routing/receiveCallback';
import type { Means } from './routing/Exchange';
import { inTurn, requesterOf, sendWithoutTurn, SHARED_FLOWS } from './routing/inTurn';
import { serveRouter } from './routing/serveRouter';

/** Probes of one network that need no turn: a second, and in a burst. Others take a turn, as every response does. */
const PROBES = { perSecond: 100, burst: 200 };
/**
 * The same for all networks together. After {@link REFUSED_AFTER_MS} all others share one company's turns: those of the balancer are among
 * them, and thousands of networks may send the others.
 */
const ALL_PROBES = { perSecond: 200, burst: 400 };
const ALL = 'all';
/** Checks of MySQL, the file store and Redis begin at least this far apart. */
const READY_EVERY_MS = 100;

/**
 * The routes without an API key: health, the pages of invoices, and the callbacks of the gateways and the mail provider, which are authenticated by the
 * signature or token of the provider.
 */
export function publicRoutes(means: Means, stopping: AbortSignal): Middleware {
  const { services, limits } = means;
  const router = new Router({ sensitive: true });
  const probes = new Pace(PROBES.perSecond, PROBES.burst);
  const allProbes = new Pace(ALL_PROBES.perSecond, ALL_PROBES.burst);
  // A probe takes no turn: it says how the process is, also while others have all turns.
  const admitProbe = async (ctx: Context): Promise<void> => {
    const now = performance.now();
    if (probes.admit(requesterOf(ctx), 1, now) > 0) return;
    if (allProbes.admit(ALL, 1, now) === 0) return sendWithoutTurn(ctx);
    await sleep(REFUSED_AFTER_MS, undefined, { ref: false });
    // Of thousands that waited, few go on together.
    await new Promise<void>((goOn) => endings.add(goOn));
    if (ctx.res.closed) throw new RequestAborted();
    await inTurn(ctx, limits, () => Promise.resolve(), SHARED_FLOWS.probes);
  };
  router.get('/healthz', async (ctx) => {
    await admitProbe(ctx);
    ctx.body = { status: 'alive' };
  });
  // Made by the first request for it: that takes some 0.1 s.
  let document: object | undefined;
  const theDocument = (): object => (document ??= openApiDocument(routes, services.config.publicUrl));
  let documentJson: FixedResponse | undefined;
  router.get('/openapi.json', (ctx) => {
    documentJson ??= fixedResponse('application/json', JSON.stringify(theDocument()));
    sendFixed(ctx, documentJson);
  });
  if (services.config.apiDocs) addReference(router, theDocument);
  let checking: Promise<void> | null = null;
  let checkedAt = -Infinity;
  const check = async (): Promise<void> => {
    await sleep(checkedAt + READY_EVERY_MS - performance.now());
    checkedAt = performance.now();
    await checkReady(services);
  };
  router.get('/readyz', async (ctx) => {
    await admitProbe(ctx);
    if (stopping.aborted) throw new ServiceUnavailable('this process', undefined, 'is stopping');
    // Without authentication: concurrent requests share one check, and there are few of them.
    checking ??= check().finally(() => (checking = null));
    await checking;
    ctx.body = { status: 'ready', clockOffsetMs: services.databaseClock.offsetMs };
  });
  const receive = callbackReceiver(limits);
  router.post('/webhooks/gateway/:provider', receiveGatewayCallbacks(services, receive));
  router.post('/webhooks/email/sendgrid', receiveSendGridEvents(services, receive));
  addInvoicePages(router, means);
  return serveRouter(router);
}

/** @throws {ServiceUnavailable} naming the first of MySQL, its migrations, the file store and Redis that is not ready. */
async function checkReady({ sql, queues, storeCheck }: Services): Promise<void> {
  await checkSchema(sql);
  await storeCheck.ensure();
  await queues.check();
}
