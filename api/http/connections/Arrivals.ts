import { performance } from 'node:perf_hooks';

/** How long requests begin in one iteration of the event loop, in milliseconds. */
const PIECE_MS = 10;

/**
 * Begins requests in the order of their arrival, and lets the event loop run other work in between: in one iteration Node.js reads the
 * requests of all connections that have sent one, which may be thousands, and each takes some 0.1 ms before it waits for its turn.
 */
export class Arrivals {
  private readonly waiting: (() => void)[] = [];
  /** When the first request of this iteration began. */
  private since: number | null = null;

  /** Runs `work` now, or in one of the next iterations. */
  begin(work: () => void): void {
    if (this.mayBegin()) work();
    else this.waiting.push(work);
  }

  private mayBegin(): boolean {
    const now = performance.now();
    if (this.since === null) {
      this.since = now;
      setImmediate(() => this.goOn());
    }
    return now - this.since < PIECE_MS;
  }

  private goOn(): void {
    this.since = null;
    while (this.waiting.length > 0 && this.mayBegin()) this.waiting.shift()?.();
  }
}
