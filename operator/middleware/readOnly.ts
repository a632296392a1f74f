import type { Context, Middleware } from 'koa';

/** Serves exactly one page, for GET and HEAD. */
export function readOnly(serve: (ctx: Context) => Promise<void>): Middleware {
  return async (ctx) => {
    if (ctx.method === 'GET' || ctx.method === 'HEAD') return serve(ctx);
    ctx.status = 405;
    ctx.set('Allow', 'GET, HEAD');
    ctx.body = 'This page can only be read.\n';
  };
}
