import type { Middleware } from 'koa';
import { AppError } from '../../../shared/engine/errors';

/**
 * Refuses an `Expect` other than `100-continue`. `inviteBody` sends `100 Continue` just before the body is read, so a client does
 * not send the body of a request that is refused earlier.
 * @throws {AppError} 417
 */
export const expectation: Middleware = (ctx, next) => {
  const { expect } = ctx.headers;
  // HTTP/1.0 has no expectations (RFC 9110, 10.1.1).
  if (expect === undefined || ctx.req.httpVersion === '1.0' || /^100-continue$/i.test(expect)) return next();
  throw new AppError('expectation_failed', 'Expect can be 100-continue only', { status: 417 });
};
