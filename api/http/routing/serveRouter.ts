import type Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import { AppError, NotFound } from '../../../shared/engine/errors';

/**
 * Serves a router: 404 for an unknown path, 405 for a known path with another method.
 * @param first checks such a request before the 404 or 405, and may throw another error
 */
export function serveRouter(router: Router, first: (ctx: Context) => void = () => undefined): Middleware {
  const serve = router.routes() as unknown as Middleware;
  return (ctx) =>
    serve(ctx, () => {
      first(ctx);
      return Promise.reject(refusal(router, ctx));
    }) as Promise<void>;
}

function refusal(router: Router, ctx: Context): AppError {
  const methods = router.match(ctx.path, ctx.method).path.flatMap((layer) => layer.methods);
  if (methods.length === 0) return new NotFound('route', 'route_not_found');
  const Allow = [...new Set(methods)].sort().join(', ');
  return new AppError('method_not_allowed', `${ctx.method} is not allowed here, only ${Allow}`, {
    status: 405,
    headers: { Allow },
  });
}
