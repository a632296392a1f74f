import type { Middleware } from 'koa';

/** Applies a middleware to one path and all below it. */
export function only(prefix: string, middleware: Middleware): Middleware {
  return async (ctx, next) => {
    if (ctx.path === prefix || ctx.path.startsWith(`${prefix}/`)) await middleware(ctx, next);
    else await next();
  };
}
