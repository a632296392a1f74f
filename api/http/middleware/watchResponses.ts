import type { Middleware } from 'koa';
import type { OpenResponses } from '../limits/OpenResponses';

/** Watches every response. A connection has one at a time, because pipelined requests are handled one after the other. */
export function watchResponses(open: OpenResponses): Middleware {
  return ({ res }, next) => {
    open.watch(res);
    return next();
  };
}
