import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { RedisClient } from '../../../shared/engine/redis';

/** An allowance of each company in windows of fixed length. */
export interface CompanyRateOptions {
  /** How many a company may use in a window. */
  readonly allowed: number;
  readonly seconds: number;
  /** Names the allowance in Redis. */
  readonly keyPrefix: string;
}

/** Counts what companies use in Redis for all API processes together, and in each process alone while Redis is unreachable. */
export class CompanyRate {
  private readonly limiter: RateLimiterRedis;

  constructor({ allowed, seconds, keyPrefix }: CompanyRateOptions, redis: RedisClient) {
    const options = { points: allowed, duration: seconds, keyPrefix };
    const insuranceLimiter = new RateLimiterMemory(options);
    this.limiter = new RateLimiterRedis({ ...options, storeClient: redis, insuranceLimiter });
  }

  /** Counts a use of `points`. The result says what is left, and for how long the window lasts. */
  async use(companyId: number, points = 1): Promise<RateLimiterRes & { isExceeded: boolean }> {
    const result = await this.limiter.consume(companyId, points).catch((refusal: unknown) => {
      if (refusal instanceof RateLimiterRes) return refusal;
      throw refusal;
    });
    return Object.assign(result, { isExceeded: result.consumedPoints > this.limiter.points });
  }
}
