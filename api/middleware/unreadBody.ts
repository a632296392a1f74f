import type { Middleware } from 'koa';

/** Ends the connection of a request whose body was not read to its end: the rest would be taken for the next request. */
export const unreadBody: Middleware = async (ctx, next) => {
  await next();
  if (!ctx.req.complete) ctx.set('Connection', 'close');
};
