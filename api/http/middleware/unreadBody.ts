import type { Context, Middleware, Next } from 'koa';
import { ignoreBody } from '../../../shared/engine/http';
import { hasBody } from '../routing/readBody';

/** Closes the connection of a request whose body was not read completely: the rest would be parsed as the next request. */
export const unreadBody: Middleware = (ctx, next) => (hasBody(ctx) ? closeIfUnread(ctx, next) : next());

async function closeIfUnread(ctx: Context, next: Next): Promise<void> {
  await next();
  if (ctx.req.complete) return;
  ctx.set('Connection', 'close');
  ignoreBody(ctx.req.socket);
}
