import type { Middleware } from 'koa';
import { AppError } from '../../../shared/engine/errors';

/** Refuses requests of HTTP/1.1 without a `Host` (RFC 9112, 3.2). @throws {AppError} 400 */
export const hostHeader: Middleware = ({ req }, next) => {
  if (req.headers.host !== undefined || req.httpVersion === '1.0') return next();
  throw new AppError('bad_request', 'the request has no Host header', { status: 400 });
};
