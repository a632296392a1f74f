import type { Middleware } from 'koa';

/** Applies a middleware to one path and all below it. */
export function only(prefix: string, middleware: Middleware): Middleware {
  const below = `${prefix}/`;
  return (ctx, next): unknown => (ctx.path === prefix || ctx.path.startsWith(below) ? middleware(ctx, next) : next());
}
