import { performance } from 'node:perf_hooks';
import type { FlowKey } from '../../../shared/engine/fair';

/** How long requests begin in one iteration of the event loop, in milliseconds. */
const PIECE_MS = 10;

/**
 * Begins requests that arrive at the same time in pieces, one of each caller after the other. In one iteration of the event loop Node.js
 * reads the requests of all connections that have sent one. There may be thousands, and each takes about 0.1 ms before it waits for a slot.
 */
export class Arrivals {
  /** The waiting requests of each caller; the caller of the next one comes first. */
  private readonly waiting = new Map<FlowKey, (() => void)[]>();
  /** When the first request of this iteration began. */
  private since: number | null = null;

  /** Runs `work` now, or in one of the next iterations. @param caller the company, or the network of an unknown key */
  begin(caller: FlowKey, work: () => void): void {
    if (this.mayBegin()) return work();
    const waiting = this.waiting.get(caller);
    if (waiting === undefined) this.waiting.set(caller, [work]);
    else waiting.push(work);
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
    for (const [caller, requests] of this.waiting) {
      if (!this.mayBegin()) return;
      const work = requests.shift();
      // A caller with further requests goes to the end, which this loop reaches.
      this.waiting.delete(caller);
      if (requests.length > 0) this.waiting.set(caller, requests);
      work?.();
    }
  }
}
