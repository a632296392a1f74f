import { randomUUID } from 'node:crypto';
import type { Middleware } from 'koa';

const ACCEPTED = /^[\w.:-]{1,128}$/;

/** Sets `X-Request-Id` on every response: the caller's own if it is a plain one, else a new one. */
export const requestId: Middleware = (ctx, next) => {
  const given = ctx.headers['x-request-id'];
  const id = typeof given === 'string' && ACCEPTED.test(given) ? given : randomUUID();
  ctx.state.requestId = id;
  ctx.set('X-Request-Id', id);
  return next();
};
