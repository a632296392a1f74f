import type { Middleware } from 'koa';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { TooManyRequests } from '../../../shared/engine/errors';
import type { RedisClient } from '../../../shared/engine/redis';

/**
 * Allows at most `perSecond` requests a second for one company, however many API keys it has. Counts in Redis for all API processes together, and in each
 * process alone while Redis is unreachable. Headers: draft-ietf-httpapi-ratelimit-headers.
 */
export function rateLimit(perSecond: number, redis: RedisClient, prefix: string): Middleware {
  const options = { points: perSecond, duration: 1, keyPrefix: `${prefix}:rate` };
  const limiter = new RateLimiterRedis({
    ...options,
    storeClient: redis,
    insuranceLimiter: new RateLimiterMemory(options),
  });
  return async (ctx, next) => {
    const result = await limiter.consume(String(ctx.state.companyId)).catch((refusal: unknown) => {
      if (refusal instanceof RateLimiterRes) return refusal;
      throw refusal;
    });
    const seconds = Math.ceil(result.msBeforeNext / 1000);
    ctx.set('RateLimit-Policy', `"company";q=${perSecond};w=1`);
    ctx.set('RateLimit', `"company";r=${result.remainingPoints};t=${seconds}`);
    if (result.consumedPoints > perSecond) throw tooManyRequests(result.msBeforeNext);
    await next();
  };
}

export function tooManyRequests(msBeforeNext: number): TooManyRequests {
  const seconds = Math.max(1, Math.ceil(msBeforeNext / 1000));
  return new TooManyRequests('rate_limited', 'too many requests; try again after the time in Retry-After', seconds);
}
