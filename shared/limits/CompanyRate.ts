import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes, type RateLimiterAbstract } from 'rate-limiter-flexible';
import { within } from '../engine/clock';
import type { RedisClient } from '../engine/redis';

/** An allowance of each company in windows of fixed length. */
export interface CompanyRateOptions {
  /** How many a company may use in a window. */
  readonly allowed: number;
  readonly seconds: number;
  /** Names the allowance in Redis. */
  readonly keyPrefix: string;
}

/** The longest that a use waits for Redis, in milliseconds. Redis usually responds within a few. */
const PATIENCE_MS = 200;

/** Counts what companies use in Redis for all processes together, and in each process alone while Redis is slow or unreachable. */
export class CompanyRate {
  private readonly inRedis: RateLimiterRedis;
  private readonly inProcess: RateLimiterMemory;

  constructor({ allowed, seconds, keyPrefix }: CompanyRateOptions, redis: RedisClient) {
    const options = { points: allowed, duration: seconds, keyPrefix };
    this.inRedis = new RateLimiterRedis({ ...options, storeClient: redis });
    this.inProcess = new RateLimiterMemory(options);
  }

  /** Counts a use of `points`; below 0, takes one back. The result says what is left, and for how long the window lasts. */
  async use(companyId: number, points = 1): Promise<RateLimiterRes & { isExceeded: boolean }> {
    const result = await within(PATIENCE_MS, count(this.inRedis, companyId, points), 'Redis did not respond').catch(
      () => count(this.inProcess, companyId, points),
    );
    return Object.assign(result, { isExceeded: result.consumedPoints > this.inRedis.points });
  }
}

async function count(limiter: RateLimiterAbstract, companyId: number, points: number): Promise<RateLimiterRes> {
  return limiter.consume(companyId, points).catch((refusal: unknown) => {
    if (refusal instanceof RateLimiterRes) return refusal;
    throw refusal;
  });
}
