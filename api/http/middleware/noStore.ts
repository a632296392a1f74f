import type { Middleware } from 'koa';

/** Forbids caches to store responses of authenticated routes, unless the route sets `Cache-Control` itself. */
export const noStore: Middleware = (ctx, next) => {
  ctx.set('Cache-Control', 'no-store');
  return next();
};
