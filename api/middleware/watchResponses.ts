import { once } from 'node:events';
import type { Middleware } from 'koa';
import type { OpenResponses } from '../limits/OpenResponses';

/**
 * Watches every response. A request that was sent before the response to an earlier one of its connection (pipelining) is
 * handled after it, so that a connection holds one response whatever it asks for.
 */
export function watchResponses(open: OpenResponses): Middleware {
  return async ({ res }, next) => {
    // Node.js parses such requests ahead, and gives the connection to one response after the other.
    if (res.socket === null) await once(res, 'socket');
    open.watch(res);
    await next();
  };
}
