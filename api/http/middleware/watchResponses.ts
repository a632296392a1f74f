import { once } from 'node:events';
import type { Context, Middleware, Next } from 'koa';
import type { OpenResponses } from '../limits/OpenResponses';

/**
 * Watches every response. Handles pipelined requests one after the other, so that a connection holds one response at a time.
 */
export function watchResponses(open: OpenResponses): Middleware {
  const watched = ({ res }: Context, next: Next): Promise<void> => {
    open.watch(res);
    return next();
  };
  // Node.js parses pipelined requests ahead, and assigns the connection to one response after the other.
  return (ctx, next) =>
    ctx.res.socket === null ? once(ctx.res, 'socket').then(() => watched(ctx, next)) : watched(ctx, next);
}
