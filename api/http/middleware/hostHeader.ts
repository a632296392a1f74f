import type { Context, Middleware } from 'koa';
import { AppError } from '../../../shared/engine/errors';

/** Refuses requests of HTTP/1.1 without a `Host`, and for a target that is no address (RFC 9112, 3.2). @throws {AppError} 400 */
export const hostHeader: Middleware = (ctx, next) => {
  const { headers, httpVersion } = ctx.req;
  if (!hasPath(ctx)) throw new AppError('bad_request', 'the target of the request is no address', { status: 400 });
  if (headers.host !== undefined || httpVersion === '1.0') return next();
  throw new AppError('bad_request', 'the request has no Host header', { status: 400 });
};

/** Koa parses the target when its path is read first. */
function hasPath(ctx: Context): boolean {
  try {
    return typeof ctx.path === 'string';
  } catch (error) {
    if (error instanceof TypeError || error instanceof URIError) return false;
    throw error;
  }
}
