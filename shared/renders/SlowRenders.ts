import { LRUCache } from 'lru-cache';
import { renderFairness } from '../../config/queues';
import { ServiceUnavailable } from '../engine/errors';
import type { Logger } from '../engine/log';
import type { RedisClient } from '../engine/redis';

/**
 * Companies whose renders, finished or cut off, took long lately: one that took seconds, or many that took a little longer than usual.
 * Their renders wait in the queue of long renders, which leaves a slot to the others.
 */
export class SlowRenders {
  private readonly recorded = new LRUCache<number, true>({ max: 10_000, ttl: renderFairness.slowForMs });
  /** What was left of a company's allowance at a time of the monotonic clock, in milliseconds. Absent: all of it. */
  private readonly allowances = new LRUCache<number, { leftMs: number; at: number }>({ max: 10_000 });

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

  /** Records how long a render took. Never throws: while Redis is unreachable, other processes do not learn of it. */
  async record(companyId: number, ms: number): Promise<void> {
    if (this.isAllowed(companyId, ms - renderFairness.usualMs)) return;
    this.recorded.set(companyId, true);
    try {
      await this.redis.set(this.key(companyId), '1', 'PX', renderFairness.slowForMs);
    } catch (error) {
      this.log.warn({ err: error, companyId }, 'a slow render was not reported');
    }
  }

  /** Takes the rest of a render from the company's allowance. Returns false when that is used up; then it begins anew. */
  private isAllowed(companyId: number, beyondUsualMs: number): boolean {
    const { allowanceMs, allowanceGrowth } = renderFairness;
    const at = performance.now();
    const before = this.allowances.get(companyId) ?? { leftMs: allowanceMs, at };
    const grown = Math.min(allowanceMs, before.leftMs + (at - before.at) * allowanceGrowth);
    const leftMs = grown - Math.max(0, beyondUsualMs);
    if (leftMs > 0) this.allowances.set(companyId, { leftMs, at });
    else this.allowances.delete(companyId);
    return leftMs > 0;
  }

  private key(companyId: number): string {
    return `${this.prefix}:slow-renders:${companyId}`;
  }
}
