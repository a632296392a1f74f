import Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import type { Upload } from '../../../shared/kernel/files/Upload';
import type { Services } from '../../../shared/kernel/services';
import type { Limits } from '../limits/Limits';
import type { OpenResponses } from '../limits/OpenResponses';
import type { Place } from '../limits/Places';
import { bodyValidator, queryValidator } from '../../../shared/kernel/schemas/ajv';
import { normaliseBody } from '../../../shared/kernel/schemas/normaliseBody';
import { ScopeMissing } from '../../../shared/kernel/errors';
import { includesScope, type Scope } from '../../../shared/apiKeys';
import { Call } from './Call';
import { acceptCheck, successTypes } from './checkAccept';
import { recordTags } from './gzip';
import { withIdempotency } from './idempotency';
import { scanTest } from './scanTest';
import { readId } from './readId';
import { noBody, readJsonBody } from './readBody';
import { withUpload } from './readUpload';
import type { Route } from './Route';
import { sendAnswer } from './sendAnswer';
import { serveRouter } from './serveRouter';

/** Koa's state after authentication. */
export interface Identity {
  companyId: number;
  actor: string;
  requestId: string;
  scopes: readonly Scope[];
}

/** Serves a table of routes: 404 for an unknown path, 405 for a known path with another method. */
export function mountRoutes(
  services: Services,
  limits: Limits,
  routes: readonly Route[],
  open: OpenResponses,
): Middleware {
  const router = new Router({ sensitive: true });
  for (const route of routes) {
    const path = route.path.replace(/\{(\w+)\}/g, ':$1');
    const handle = handlerOf(services, limits, route, open);
    router[route.method.toLowerCase() as 'get' | 'post' | 'put' | 'delete'](path, handle);
  }
  // An unknown operation has no scope: one that would change something requires `write`, like all changes.
  return serveRouter(router, ({ method, state }) => {
    const reads = ['GET', 'HEAD', 'OPTIONS'].includes(method);
    requireScope((state as Identity).scopes, reads ? 'read' : 'write');
  });
}

/** @throws {ScopeMissing} */
function requireScope(granted: readonly Scope[], needed: Scope): void {
  if (!includesScope(granted, needed)) throw new ScopeMissing(needed);
}

/** Checks in the documented order: 403, 406, 415, 413, 400, then the idempotency key, then the use-case. */
function handlerOf(
  services: Services,
  limits: Limits,
  route: Route,
  open: OpenResponses,
): (ctx: Context) => Promise<void> {
  const checkBody = route.body && bodyValidator(route.body);
  const checkQuery = route.query && queryValidator(route.query);
  const isSecret = route.secretAnswer ?? false;
  const sending = { open, listPace: limits.listPace, log: services.log, isSecret };
  // The body of a GET or DELETE has no meaning (RFC 9110, 9.3).
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
    const { companyId, actor, requestId } = ctx.state as Identity;
    const preconditions = {
      ifMatch: recordTags(ctx.get('If-Match')) || null,
      respondAsync: /(^|[\s,])respond-async($|[\s,;])/i.test(ctx.get('Prefer')),
    };
    const content = upload === null ? body : { sha256: upload.sha256 };
    const request = { body: content, secretAnswer: isSecret };
    const answer = await withIdempotency(services, ctx, companyId, request, (idempotent) => {
      const scope = { services, companyId, actor, requestId, place };
      return route.handle(new Call(scope, params, normalised, query, preconditions, idempotent, upload));
    });
    await sendAnswer(ctx, answer, sending);
  };
  const isScan = route.isScan === true ? () => true : scanTest(route.query);
  // Receiving a body takes no place, so that slow clients do not occupy the places.
  const serveInPlace = async (ctx: Context, upload: Upload | null): Promise<void> => {
    const { companyId } = ctx.state as Identity;
    const body = takesBody && !route.upload ? await readJsonBody(ctx, limits, companyId) : noBody;
    const run = async (place: Place): Promise<void> => serve(ctx, await body.parse(), upload, place);
    const runInPlace = (): Promise<void> => limits.places.within(companyId, ctx.res, run);
    try {
      await (isScan(ctx) ? limits.scans.within(companyId, ctx.res, runInPlace) : runInPlace());
    } finally {
      body.release();
    }
  };
  const { upload: rule } = route;
  const checkAccept = acceptCheck(successTypes(route));
  return async (ctx) => {
    const { companyId, scopes } = ctx.state as Identity;
    requireScope(scopes, route.scope);
    checkAccept(ctx);
    open.admit(companyId);
    if (rule === undefined) await serveInPlace(ctx, null);
    else await withUpload(ctx, rule, { limits, companyId }, (upload) => serveInPlace(ctx, upload));
  };
}

/** Returns the query parameters that are not empty: an empty one counts as absent. */
function presentParameters(ctx: Context): Record<string, unknown> {
  return Object.fromEntries(Object.entries(ctx.query).filter(([, value]) => value !== ''));
}
