import type { Middleware } from 'koa';
import { AppError } from '../../../shared/engine/errors';

/** Refuses requests of HTTP/1.1 without a `Host`, and for a target that is no address (RFC 9112, 3.2). @throws {AppError} 400 */
export const hostHeader: Middleware = ({ req }, next) => {
  const { url = '' } = req;
  // Koa would throw when it reads the path.
  if (/^[a-z]+:/i.test(url) && !URL.canParse(url)) {
    throw new AppError('bad_request', 'the target of the request is no address', { status: 400 });
  }
  if (req.headers.host !== undefined || req.httpVersion === '1.0') return next();
  throw new AppError('bad_request', 'the request has no Host header', { status: 400 });
};
