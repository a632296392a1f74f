import { LRUCache } from 'lru-cache';
import { renderFairness } from '../../../config/queues';
import { ServiceUnavailable } from '../errors';
import type { Logger } from '../log';
import type { RedisClient } from '../redis';

/**
 * The companies one of whose renders took long lately, measured or cut off. Their renders wait in the queue of long ones, which leaves
 * a slot to the others.
 */
export class SlowRenders {
  /** What this process has recorded itself. */
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

  /** Records that a render took this long. Does nothing if that is usual. Never throws: others do not know while Redis is unreachable. */
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
