import type { FlowKey } from '../../../shared/engine/fair';
import { LRUCache } from 'lru-cache';

/** Flows that are counted; the least recently seen ones are dropped. */
const MAX_FLOWS = 10_000;

/** Counts the bytes of bodies. */
export type BodyPace = Pick<Pace, 'count'>;

/** Limits how much of something one flow uses in a second, over all of its connections. Up to `burst` passes at full speed. */
export class Pace {
  /** By flow, when its use so far will be within its rate, in milliseconds. */
  private readonly paidUntil = new LRUCache<FlowKey, number>({ max: MAX_FLOWS });

  constructor(
    private readonly perSecond: number,
    private readonly burst: number,
  ) {}

  /** Counts an amount at `now`. Returns how long the next one has to wait. Both are in milliseconds. */
  count(flow: FlowKey, amount: number, now: number): number {
    const paidUntil = Math.max(this.paidUntil.get(flow) ?? 0, now) + this.millisecondsFor(amount);
    this.paidUntil.set(flow, paidUntil);
    return Math.max(0, paidUntil - now - this.millisecondsFor(this.burst));
  }

  /** Counts an amount, unless earlier ones are not within the rate yet. Returns for how long, in milliseconds; 0: it is counted. */
  admit(flow: FlowKey, amount: number, now: number): number {
    const waitMs = this.count(flow, 0, now);
    if (waitMs === 0) this.count(flow, amount, now);
    return waitMs;
  }

  private millisecondsFor(amount: number): number {
    return (amount * 1_000) / this.perSecond;
  }
}
