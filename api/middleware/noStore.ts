import type { Middleware } from 'koa';

/** No cache keeps what needs a key, unless the route says otherwise. */
export const noStore: Middleware = (ctx, next) => {
  ctx.set('Cache-Control', 'no-store');
  return next();
};
