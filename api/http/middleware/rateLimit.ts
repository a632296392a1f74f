import type { Middleware } from 'koa';
import { TooManyRequests } from '../../../shared/engine/errors';
import type { RedisClient } from '../../../shared/engine/redis';
import { CompanyRate } from '../../../shared/limits';

/**
 * Allows at most `perSecond` requests a second for one company, however many API keys it has.
 * Headers: draft-ietf-httpapi-ratelimit-headers.
 */
export function rateLimit(perSecond: number, redis: RedisClient, prefix: string): Middleware {
  const rate = new CompanyRate({ allowed: perSecond, seconds: 1, keyPrefix: `${prefix}:rate` }, redis);
  return async (ctx, next) => {
    const result = await rate.use(Number(ctx.state.companyId));
    const seconds = Math.ceil(result.msBeforeNext / 1000);
    ctx.set('RateLimit-Policy', `"company";q=${perSecond};w=1`);
    ctx.set('RateLimit', `"company";r=${result.remainingPoints};t=${seconds}`);
    if (result.isExceeded) throw tooManyRequests(result.msBeforeNext);
    await next();
  };
}

/** @param what is too much: `requests` */
export function tooManyRequests(msBeforeNext: number, what = 'requests'): TooManyRequests {
  const seconds = Math.max(1, Math.ceil(msBeforeNext / 1000));
  return new TooManyRequests('rate_limited', `too many ${what}; try again after the time in Retry-After`, seconds);
}
