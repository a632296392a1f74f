import { delayAfter, type Delays } from '../../../config/queues';
import type { Logger } from './log';

/** For warnings that any client can cause: at most one line a minute. */
const everyMinute: Delays = { firstDelayMs: 60_000, factor: 1, maxDelayMs: 60_000 };

/** For a fault that lasts until an operator repairs it: pauses of 10 s, 30 s, 90 s, … up to an hour. */
export const untilRepaired: Delays = { firstDelayMs: 10_000, factor: 3, maxDelayMs: 3_600_000 };

/**
 * Logs a warning that is repeated: the first immediately, further ones after growing pauses. Each line has the number of
 * warnings since the last line. A pause without a warning resets the pauses.
 */
export class OccasionalWarning {
  private count = 0;
  private lines = 0;
  private latest: object = {};
  private pause: NodeJS.Timeout | undefined;

  constructor(
    private readonly log: Logger,
    private readonly message: string,
    private readonly pauses: Delays = everyMinute,
  ) {}

  /** Counts a warning. A line for several warnings has the `details` of the latest. */
  note(details: object): void {
    this.count += 1;
    this.latest = details;
    if (this.pause === undefined) this.write();
  }

  /** Resets the pauses, since the fault has ended. Returns whether there was a warning. */
  end(): boolean {
    const warned = this.lines > 0;
    clearTimeout(this.pause);
    this.pause = undefined;
    this.lines = 0;
    this.count = 0;
    return warned;
  }

  private write(): void {
    this.log.warn({ ...this.latest, count: this.count }, this.message);
    this.count = 0;
    this.lines += 1;
    const pauseMs = delayAfter(this.pauses, this.lines);
    this.pause = setTimeout(() => {
      this.pause = undefined;
      if (this.count > 0) this.write();
      else this.lines = 0;
    }, pauseMs).unref();
  }
}
