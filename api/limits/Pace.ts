import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';

/** Companies whose pace is kept; the least recently seen start afresh. */
const MAX_COMPANIES = 10_000;

/**
 * How much a second one company gets of something that keeps the machine busy in proportion: bytes that this process takes
 * from it or gives it, over all of its connections, or renders. Up to `burst` passes at full speed.
 */
export class Pace {
  /** By company, the time at which all so far is within its rate, in milliseconds. */
  private readonly paidUntil = new LRUCache<number, number>({ max: MAX_COMPANIES });

  constructor(
    private readonly perSecond: number,
    private readonly burst: number,
  ) {}

  /** Counts what passes at `now`. Returns how long the next has to wait; both in milliseconds. */
  count(companyId: number, amount: number, now: number): number {
    const paidUntil = Math.max(this.paidUntil.get(companyId) ?? 0, now) + this.millisecondsFor(amount);
    this.paidUntil.set(companyId, paidUntil);
    return Math.max(0, paidUntil - now - this.millisecondsFor(this.burst));
  }

  /** Counts what passes, and resolves when the next may. */
  async wait(companyId: number, amount: number): Promise<void> {
    const waitMs = this.count(companyId, amount, performance.now());
    if (waitMs > 0) await sleep(waitMs);
  }

  private millisecondsFor(amount: number): number {
    return (amount * 1_000) / this.perSecond;
  }
}
