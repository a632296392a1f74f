import type { Config } from '../../config/env';
import type { RedisClient } from '../engine/redis';
import { CompanyRate } from './CompanyRate';

/** Opens the limit of recipients to which the e-mails of one company may go in 24 hours, over all processes; null for no limit. */
export function recipientsPerDay({ limits, redisPrefix }: Config, redis: RedisClient): CompanyRate | null {
  const { recipientsPerDay: allowed } = limits;
  return allowed === 0
    ? null
    : new CompanyRate({ allowed, seconds: 86_400, keyPrefix: `${redisPrefix}:recipients` }, redis);
}
