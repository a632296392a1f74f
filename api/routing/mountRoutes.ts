import Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import { AppError, NotFound } from '../../shared/errors';
import type { Upload } from '../../shared/files/Upload';
import type { Services } from '../../shared/services';
import { bodyValidator, queryValidator } from '../validation/ajv';
import { normaliseBody } from '../validation/normaliseBody';
import { Call } from './Call';
import { withIdempotency } from './idempotency';
import { readId } from './readId';
import { readJsonBody } from './readBody';
import { withUpload } from './readUpload';
import type { Route } from './Route';
import { sendAnswer } from './sendAnswer';

/** Koa's state after authentication. */
export interface Identity {
  companyId: number;
  actor: string;
}

/** Serves a table of routes; a path that none has is 404, a known path with another method 405. */
export function mountRoutes(services: Services, routes: readonly Route[]): Middleware {
  // Scopes are decided by the path as it is written, so another case is another path.
  const router = new Router({ sensitive: true });
  for (const route of routes) {
    const path = route.path.replace(/\{(\w+)\}/g, ':$1');
    router[route.method.toLowerCase() as 'get' | 'post' | 'put' | 'delete'](path, handlerOf(services, route));
  }
  const serve = router.routes() as unknown as Middleware;
  return async (ctx) => {
    await serve(ctx, () => Promise.reject(methodNotAllowed(router, ctx) ?? new NotFound('route', 'route_not_found')));
  };
}

/** In the order of the interface: 415, 413, 400, then the idempotency key, then what the use-case finds. */
function handlerOf(services: Services, route: Route): (ctx: Context) => Promise<void> {
  const checkBody = route.body && bodyValidator(route.body);
  const checkQuery = route.query && queryValidator(route.query);
  // The body of a GET or DELETE means nothing (RFC 9110, 9.3).
  const takesBody = route.method === 'POST' || route.method === 'PUT';
  const serve = async (ctx: Context, upload: Upload | null): Promise<void> => {
    const json = takesBody && !route.upload ? await readJsonBody(ctx) : undefined;
    const params = readId(ctx.params as Record<string, string>);
    const body = json ?? {};
    checkBody?.(body);
    const query = presentParameters(ctx);
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
      const call = new Call(services, companyId, actor, params, normalised, query, preconditions, idempotent, upload);
      return route.handle(call);
    });
    if (answer !== null) await sendAnswer(ctx, answer);
  };
  const { upload: rule } = route;
  return (ctx) => (rule ? withUpload(ctx, rule, (upload) => serve(ctx, upload)) : serve(ctx, null));
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
