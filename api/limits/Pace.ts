import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';

/** Companies whose pace is kept; the least recently seen start afresh. */
const MAX_COMPANIES = 10_000;

/**
 * How many bytes a second this process takes from one company, or gives it, over all of its connections: both keep the event
 * loop busy in proportion to the bytes. Up to `burstBytes` pass at full speed.
 */
export class Pace {
  /** By company, the time at which all bytes so far are within its rate, in milliseconds. */
  private readonly paidUntil = new LRUCache<number, number>({ max: MAX_COMPANIES });

  constructor(
    private readonly bytesPerSecond: number,
    private readonly burstBytes: number,
  ) {}

  /** Counts bytes that have passed at `now`. Returns how long the next ones have to wait; both in milliseconds. */
  count(companyId: number, bytes: number, now: number): number {
    const paidUntil = Math.max(this.paidUntil.get(companyId) ?? 0, now) + this.millisecondsFor(bytes);
    this.paidUntil.set(companyId, paidUntil);
    return Math.max(0, paidUntil - now - this.millisecondsFor(this.burstBytes));
  }

  /** Counts bytes that have passed, and resolves when the next ones may. */
  async wait(companyId: number, bytes: number): Promise<void> {
    const waitMs = this.count(companyId, bytes, performance.now());
    if (waitMs > 0) await sleep(waitMs);
  }

  private millisecondsFor(bytes: number): number {
    return (bytes * 1_000) / this.bytesPerSecond;
  }
}
