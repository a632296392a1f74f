import { leases } from '../../config/queues';
import type { Services } from '../../shared/services';
import { leaseEnd } from './jobRow';
import { LeaseLost } from './JobRun';

/** The pause after a renewal that failed, in parts of the lease. After two tries of {@link LeaseConnection} a third begins in time. */
const RETRIES_PER_LEASE = 20;

/**
 * The lease of one claimed run, until it is released or lost. It is renewed at half of its time, counted from the last renewal that
 * succeeded. A renewal that fails is retried soon.
 */
export class Lease {
  private readonly interruption = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  private released = false;
  private isLost = false;
  /** The last renewal failed, and the log says so. */
  private failing = false;

  /** @param heldSince the start of the lease by `performance.now()`: before the claim's statement was sent */
  constructor(
    private readonly services: Pick<Services, 'clock' | 'log'>,
    /** Returns false when the lease is lost. */
    private readonly extend: (until: Date) => Promise<boolean>,
    /** Aborted when the process has to end now. */
    private readonly stopping: AbortSignal,
    private heldSince = performance.now(),
  ) {
    this.renewIn(this.untilHalf());
    stopping.addEventListener('abort', this.stop);
    if (stopping.aborted) this.stop();
  }

  /**
   * Aborted when another run has claimed the job, or the process has to end now. Node.js 20 would keep each signal that is made by
   * `AbortSignal.any` for as long as the process.
   */
  get aborted(): AbortSignal {
    return this.interruption.signal;
  }

  /** @throws {LeaseLost} when another run has claimed the job. */
  throwIfLost(): void {
    if (this.isLost) throw new LeaseLost();
  }

  /**
   * Renews the lease now, also one that has lapsed: as long as no other run has claimed the job, this one may record. A failed
   * renewal is logged and changes nothing.
   */
  async renew(): Promise<void> {
    const { clock, log } = this.services;
    const sentAt = performance.now();
    try {
      if (!(await this.extend(leaseEnd(clock.now())))) this.lose();
      this.renewedBy(sentAt);
    } catch (error) {
      if (!this.failing) log.warn({ err: error }, 'a lease could not be renewed; it is retried');
      this.failing = true;
    }
  }

  /** Notes that the holder has renewed the lease itself, by a statement sent at `sentAt` (`performance.now()`). */
  renewedBy(sentAt: number): void {
    this.heldSince = Math.max(this.heldSince, sentAt);
    this.failing = false;
  }

  release(): void {
    this.released = true;
    clearTimeout(this.timer);
    this.stopping.removeEventListener('abort', this.stop);
  }

  private readonly stop = (): void => this.interruption.abort(this.stopping.reason);

  private lose(): void {
    this.isLost = true;
    this.interruption.abort(new LeaseLost());
  }

  /** Milliseconds until half of the lease has passed. */
  private untilHalf(): number {
    return Math.max(0, this.heldSince + leases.leaseMs / 2 - performance.now());
  }

  private renewIn(ms: number): void {
    this.timer = setTimeout(() => {
      const left = this.untilHalf();
      if (left > 0) return this.renewIn(left);
      void this.renew().then(() => {
        if (this.released || this.isLost) return;
        this.renewIn(this.failing ? leases.leaseMs / RETRIES_PER_LEASE : this.untilHalf());
      });
    }, ms);
  }
}
