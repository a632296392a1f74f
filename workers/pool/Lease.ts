import { leases } from '../../config/queues';
import type { Services } from '../../shared/kernel/services';
import { leaseEnd } from './jobRow';
import { LeaseLost } from './JobRun';

/** The lease of one claimed run. It is renewed at half of its time until it is released or lost. */
export class Lease {
  private readonly superseded = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  private released = false;
  /** The last renewal failed, and the log says so. */
  private failing = false;

  constructor(
    private readonly services: Pick<Services, 'clock' | 'log'>,
    /** Returns false when another run has claimed what is leased. */
    private readonly extend: (until: Date) => Promise<boolean>,
  ) {
    this.renewLater();
  }

  /** Aborted with {@link LeaseLost} when another run has claimed the job. */
  get lost(): AbortSignal {
    return this.superseded.signal;
  }

  /**
   * Renews the lease now, also one that has lapsed: as long as no other run has claimed the job, this one may record. A failed
   * renewal is logged and changes nothing.
   */
  async renew(): Promise<void> {
    const { clock, log } = this.services;
    try {
      if (!(await this.extend(leaseEnd(clock.now())))) this.superseded.abort(new LeaseLost());
      this.failing = false;
    } catch (error) {
      if (!this.failing) log.warn({ err: error }, 'a lease could not be renewed; it is retried');
      this.failing = true;
    }
  }

  release(): void {
    this.released = true;
    clearTimeout(this.timer);
  }

  private renewLater(): void {
    this.timer = setTimeout(() => {
      void this.renew().then(() => {
        if (!this.released && !this.lost.aborted) this.renewLater();
      });
    }, leases.leaseMs / 2);
  }
}
