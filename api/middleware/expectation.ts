import type { Middleware } from 'koa';
import { AppError } from '../../shared/errors';

/**
 * Refuses an `Expect` that is not `100-continue`. That one is met when the body is about to be read (`inviteBody`), so that a
 * request which is refused before keeps its body. @throws {AppError} 417
 */
export const expectation: Middleware = (ctx, next) => {
  const { expect } = ctx.headers;
  // HTTP/1.0 has no expectations (RFC 9110, 10.1.1).
  if (expect === undefined || ctx.req.httpVersion === '1.0' || /^100-continue$/i.test(expect)) return next();
  throw new AppError('expectation_failed', 'Expect can be 100-continue only', { status: 417 });
};
