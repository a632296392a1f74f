import { performance } from 'node:perf_hooks';
import { Pieces } from './Pieces';

/** The weight of a millisecond on the event loop: a process has one event loop, a database server has several processors. */
const LOOP_WEIGHT = 2;

/**
 * Measures the cost of a piece of work of a process that does many at the same time: its own time on the event loop, {@link LOOP_WEIGHT} times,
 * and how long it waited (for MySQL, the thread pool) while the event loop was idle. Time in which the event loop
 * ran something else counts for that alone, so that no company pays for another's work.
 *
 * Code that continues the work calls {@link resume} before and {@link lap} after it: the connections to MySQL do so for the statements of
 * the work (`meterConnection`), and {@link pause} once the code that follows the rows has run. Time between a `resume` and the next `lap`
 * counts for the work unless other work was resumed in between. An `AsyncLocalStorage` would know without these calls; in Node.js 20 it
 * makes every promise of the process slower.
 */
export class WorkMeter {
  /** The work that was resumed last and runs now; null between pieces of work. */
  private static resumed: WorkMeter | null = null;
  /** Pieces of work that wait for a turn of the event loop. */
  private static readonly breathing = new Pieces(1);

  private loopMs = 0;
  private addedMs = 0;
  private idleAtStart = 0;
  private activeAtLap = 0;
  /** How long it waited for one statement since the start, at most: beside other work, little of that is idle. */
  longestWaitMs = 0;

  /** Starts, also after {@link stop}. */
  start(): void {
    this.loopMs = this.longestWaitMs = 0;
    this.idleAtStart = performance.eventLoopUtilization().idle;
    this.resume();
  }

  /** Records that the event loop runs this work from now on; `waitedMs` ms ago it sent the statement that is answered now. */
  resume(waitedMs = 0): void {
    WorkMeter.resumed = this;
    this.activeAtLap = performance.eventLoopUtilization().active;
    this.longestWaitMs = Math.max(this.longestWaitMs, waitedMs);
  }

  /** Adds what the event loop ran since {@link resume} or the last lap. */
  lap(): void {
    const { active } = performance.eventLoopUtilization();
    if (WorkMeter.resumed === this) this.loopMs += active - this.activeAtLap;
    this.activeAtLap = active;
  }

  /** Laps. Time until the next {@link resume} of any work counts for no work. */
  pause(): void {
    this.lap();
    if (WorkMeter.resumed === this) WorkMeter.resumed = null;
  }

  /** Adds a cost that no meter has measured, in measured milliseconds. While the work is stopped, it counts from the next start on. */
  add(ms: number): void {
    this.addedMs += ms;
  }

  /** Runs `wait`, of which at most `ms` milliseconds count. It takes longer only while the server stands still for everybody. */
  atMost<T>(ms: number, wait: () => Promise<T>): Promise<T> {
    const before = performance.eventLoopUtilization().idle;
    const { longestWaitMs } = this;
    return wait().finally(() => {
      this.add(Math.min(0, ms - (performance.eventLoopUtilization().idle - before)));
      this.longestWaitMs = Math.min(this.longestWaitMs, Math.max(longestWaitMs, ms));
    });
  }

  /**
   * Lets the event loop run other work. The continuation runs alone in its iteration of the event loop: if many pieces of work breathe,
   * others wait for one piece at a time, not for all.
   */
  async breathe(): Promise<void> {
    this.lap();
    await new Promise<void>((goOn) => WorkMeter.breathing.add(goOn));
    this.resume();
  }

  /** Stops. Returns the cost since the start, in measured milliseconds. */
  stop(): number {
    this.pause();
    const idleMs = performance.eventLoopUtilization().idle - this.idleAtStart;
    const ms = idleMs + LOOP_WEIGHT * this.loopMs + this.addedMs;
    this.addedMs = 0;
    return ms;
  }
}
