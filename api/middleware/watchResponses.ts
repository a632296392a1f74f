import { once } from 'node:events';
import type { Context, Middleware, Next } from 'koa';
import type { OpenResponses } from '../limits/OpenResponses';

/**
 * Watches every response. A request that was sent before the response to an earlier one of its connection (pipelining) is
 * handled after it, so that a connection holds one response whatever it asks for.
 */
export function watchResponses(open: OpenResponses): Middleware {
  const watched = ({ res }: Context, next: Next): Promise<void> => {
    open.watch(res);
    return next();
  };
  // Node.js parses such requests ahead, and gives the connection to one response after the other.
  return (ctx, next) =>
    ctx.res.socket === null ? once(ctx.res, 'socket').then(() => watched(ctx, next)) : watched(ctx, next);
}
