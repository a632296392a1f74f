import { LRUCache } from 'lru-cache';

/** Companies whose pace is kept; the least recently seen start afresh. */
const MAX_COMPANIES = 10_000;

/**
 * How fast the bodies of one company may arrive at this process, over all of its connections. Reading a body keeps the event
 * loop busy in proportion to its bytes, whatever becomes of the request. Up to `burstBytes` arrive at full speed.
 */
export class BodyPace {
  /** By company, the time at which all bytes that it has sent are within its rate, in milliseconds. */
  private readonly paidUntil = new LRUCache<number, number>({ max: MAX_COMPANIES });

  constructor(
    private readonly bytesPerSecond: number,
    private readonly burstBytes: number,
  ) {}

  /** Counts bytes that have arrived at `now`. Returns how long the sender has to wait before it sends more; both in milliseconds. */
  count(companyId: number, bytes: number, now: number): number {
    const paidUntil = Math.max(this.paidUntil.get(companyId) ?? 0, now) + this.millisecondsFor(bytes);
    this.paidUntil.set(companyId, paidUntil);
    return Math.max(0, paidUntil - now - this.millisecondsFor(this.burstBytes));
  }

  private millisecondsFor(bytes: number): number {
    return (bytes * 1_000) / this.bytesPerSecond;
  }
}
