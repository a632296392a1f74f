import type { Middleware } from 'koa';
import { ignoreBody } from '../../../shared/engine/http';

/** Closes the connection of a request whose body was not read completely: the rest would be parsed as the next request. */
export const unreadBody: Middleware = async (ctx, next) => {
  await next();
  if (ctx.req.complete) return;
  ctx.set('Connection', 'close');
  ignoreBody(ctx.req.socket);
};
