import Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import { AppError, NotFound } from '../../shared/errors';
import type { Upload } from '../../shared/files/Upload';
import type { Services } from '../../shared/services';
import type { Limits } from '../limits/Limits';
import type { OpenResponses } from '../limits/OpenResponses';
import type { Place } from '../limits/Places';
import { bodyValidator, queryValidator } from '../validation/ajv';
import { normaliseBody } from '../validation/normaliseBody';
import { Call } from './Call';
import { withIdempotency } from './idempotency';
import { scanTest } from './scanTest';
import { readId } from './readId';
import { noBody, readJsonBody } from './readBody';
import { withUpload } from './readUpload';
import type { Route } from './Route';
import { sendAnswer } from './sendAnswer';

/** Koa's state after authentication. */
export interface Identity {
  companyId: number;
  actor: string;
}

/** Serves a table of routes; a path that none has is 404, a known path with another method 405. */
export function mountRoutes(
  services: Services,
  limits: Limits,
  routes: readonly Route[],
  open: OpenResponses,
): Middleware {
  // Scopes are decided by the path as it is written, so another case is another path.
  const router = new Router({ sensitive: true });
  for (const route of routes) {
    const path = route.path.replace(/\{(\w+)\}/g, ':$1');
    const handle = handlerOf(services, limits, route, open);
    router[route.method.toLowerCase() as 'get' | 'post' | 'put' | 'delete'](path, handle);
  }
  const serve = router.routes() as unknown as Middleware;
  return async (ctx) => {
    await serve(ctx, () => Promise.reject(methodNotAllowed(router, ctx) ?? new NotFound('route', 'route_not_found')));
  };
}

/** In the order of the interface: 415, 413, 400, then the idempotency key, then what the use-case finds. */
function handlerOf(
  services: Services,
  limits: Limits,
  route: Route,
  open: OpenResponses,
): (ctx: Context) => Promise<void> {
  const checkBody = route.body && bodyValidator(route.body);
  const checkQuery = route.query && queryValidator(route.query);
  const sending = { open, listPace: limits.listPace, log: services.log };
  // The body of a GET or DELETE means nothing (RFC 9110, 9.3).
  const takesBody = route.method === 'POST' || route.method === 'PUT';
  const serve = async (ctx: Context, json: unknown, upload: Upload | null, place: Place): Promise<void> => {
    const params = readId(ctx.params as Record<string, string>);
    const body = json ?? {};
    checkBody?.(body);
    const query = checkQuery ? presentParameters(ctx) : {};
    checkQuery?.(query);
    const normalised = route.body ? normaliseBody(route.body, body) : body;
    route.check?.(normalised);
    if (upload !== null) await route.upload?.check?.(upload);
    const { companyId, actor } = ctx.state as Identity;
    const preconditions = {
      ifMatch: ctx.get('If-Match') || null,
      respondAsync: /(^|[\s,])respond-async($|[\s,;])/i.test(ctx.get('Prefer')),
    };
    const content = upload === null ? body : { sha256: upload.sha256 };
    const request = { body: content, secretAnswer: route.secretAnswer ?? false };
    const answer = await withIdempotency(services, ctx, companyId, request, (idempotent) => {
      const scope = { services, companyId, actor, place };
      return route.handle(new Call(scope, params, normalised, query, preconditions, idempotent, upload));
    });
    await sendAnswer(ctx, answer, sending);
  };
  const isScan = scanTest(route.query);
  // A body that still arrives needs no place, so that slow senders do not keep others from one.
  const serveInPlace = async (ctx: Context, upload: Upload | null): Promise<void> => {
    const { companyId } = ctx.state as Identity;
    const body = takesBody && !route.upload ? await readJsonBody(ctx, limits, companyId) : noBody;
    const run = async (place: Place): Promise<void> => serve(ctx, await body.parse(), upload, place);
    const runInPlace = (): Promise<void> => limits.places.within(companyId, ctx.res, run);
    const done = isScan(ctx.query) ? limits.scans.within(companyId, ctx.res, runInPlace) : runInPlace();
    await done.finally(() => body.release());
  };
  const { upload: rule } = route;
  return async (ctx) => {
    const { companyId } = ctx.state as Identity;
    open.admit(companyId);
    if (rule === undefined) await serveInPlace(ctx, null);
    else await withUpload(ctx, rule, { limits, companyId }, (upload) => serveInPlace(ctx, upload));
  };
}

/** An empty query parameter counts as absent. */
function presentParameters(ctx: Context): Record<string, unknown> {
  return Object.fromEntries(Object.entries(ctx.query).filter(([, value]) => value !== ''));
}

/** 405 for a path that the router knows with other methods; null for one that it does not know. */
export function methodNotAllowed(router: Router, ctx: Context): AppError | null {
  const methods = router.match(ctx.path, ctx.method).path.flatMap((layer) => layer.methods);
  if (methods.length === 0) return null;
  return new AppError('method_not_allowed', `${ctx.method} is not allowed here`, {
    status: 405,
    headers: { Allow: [...new Set(methods)].sort().join(', ') },
  });
}
