import type { Middleware } from 'koa';
import { ignoreBody } from '../../../shared/engine/http';
import type { BoundedRequest } from '../connections/BoundedRequest';

/**
 * Closes the connection of a request whose body was not read completely: the rest would be parsed as the next request. So would, after a
 * refused body, the next one without its body, even if its end came together with what was refused: behind a proxy, another's.
 */
export const unreadBody: Middleware = async (ctx, next) => {
  await next();
  const { complete, isRefused } = ctx.req as BoundedRequest;
  if (complete && !isRefused) return;
  ctx.set('Connection', 'close');
  ignoreBody(ctx.req.socket);
};
