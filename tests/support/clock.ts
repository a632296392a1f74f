import type { Clock } from '../../shared/engine/clock/clock';

/** The real time, moved on at will: what waits for a moment (a backoff, a lease, a second look) need not be waited for. */
export class MovableClock implements Clock {
  private aheadMs = 0;

  now(): Date {
    return new Date(Date.now() + this.aheadMs);
  }

  moveOn(ms: number): void {
    this.aheadMs += ms;
  }

  /** To a millisecond after the moment; never back. */
  moveTo(moment: Date): void {
    this.aheadMs = Math.max(this.aheadMs, moment.getTime() + 1 - Date.now());
  }
}
