import { LRUCache } from 'lru-cache';
import { renderFairness } from '../../config/queues';
import { ServiceUnavailable } from '../engine/errors';
import type { Logger } from '../engine/log';
import type { RedisClient } from '../engine/redis';

/**
 * Companies with a recent slow render, finished or cut off. Their renders wait in the queue of long renders, which leaves a slot to the
 * others.
 */
export class SlowRenders {
  private readonly recorded = new LRUCache<number, true>({ max: 10_000, ttl: renderFairness.slowForMs });

  constructor(
    private readonly redis: RedisClient,
    private readonly prefix: string,
    private readonly log: Logger,
  ) {}

  /** @throws {ServiceUnavailable} when Redis is unreachable. */
  async has(companyId: number): Promise<boolean> {
    try {
      return (await this.redis.exists(this.key(companyId))) === 1;
    } catch (error) {
      throw new ServiceUnavailable('the job queue', error);
    }
  }

  /** Tests whether this process has recorded a slow render of the company. */
  hasRecorded(companyId: number): boolean {
    return this.recorded.has(companyId);
  }

  /** Records a render that took longer than usual. Never throws: while Redis is unreachable, other processes do not learn of it. */
  async record(companyId: number, ms: number): Promise<void> {
    if (ms < renderFairness.slowMs) return;
    this.recorded.set(companyId, true);
    try {
      await this.redis.set(this.key(companyId), '1', 'PX', renderFairness.slowForMs);
    } catch (error) {
      this.log.warn({ err: error, companyId }, 'a slow render was not reported');
    }
  }

  private key(companyId: number): string {
    return `${this.prefix}:slow-renders:${companyId}`;
  }
}
