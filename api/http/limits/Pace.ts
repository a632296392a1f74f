import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';

/** Companies that are counted; the least recently seen ones are dropped. */
const MAX_COMPANIES = 10_000;

/**
 * Limits how much one company uses per second of something that costs CPU time: bytes received or sent over all of its
 * connections, or renders. Up to `burst` passes at full speed.
 */
export class Pace {
  /** By company, when its use so far will be within its rate, in milliseconds. */
  private readonly paidUntil = new LRUCache<number, number>({ max: MAX_COMPANIES });

  constructor(
    private readonly perSecond: number,
    private readonly burst: number,
  ) {}

  /** Counts an amount at `now`. Returns how long the next one has to wait. Both are in milliseconds. */
  count(companyId: number, amount: number, now: number): number {
    const paidUntil = Math.max(this.paidUntil.get(companyId) ?? 0, now) + this.millisecondsFor(amount);
    this.paidUntil.set(companyId, paidUntil);
    return Math.max(0, paidUntil - now - this.millisecondsFor(this.burst));
  }

  /** Counts an amount, and resolves when the next one may pass. */
  async wait(companyId: number, amount: number): Promise<void> {
    const waitMs = this.count(companyId, amount, performance.now());
    if (waitMs > 0) await sleep(waitMs);
  }

  private millisecondsFor(amount: number): number {
    return (amount * 1_000) / this.perSecond;
  }
}
