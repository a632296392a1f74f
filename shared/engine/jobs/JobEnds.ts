import { setImmediate } from 'node:timers/promises';
import type { Logger } from '../log';
import { padded } from '../db';
import type { JobEndHints } from './JobEndHints';
import { bullJobId } from './Outbox';
import { READ_AGAIN_MS } from './waitFor';

/** Jobs of one query. */
const MAX_BATCH = 512;

interface Waiter<End> {
  readonly jobId: number;
  /** True once the wait has timed out: the next read is the last one. */
  isLast: boolean;
  settle(end: End | null): void;
}

/**
 * Waits for the ends of recorded jobs. All waiting requests of this process share one query at a time, so thousands of them use
 * one database connection.
 */
export class JobEnds<End> {
  private readonly waiting = new Set<Waiter<End>>();
  private readonly unread = new Set<Waiter<End>>();
  private isReading = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly hints: JobEndHints,
    private readonly read: (jobIds: readonly number[]) => Promise<Map<number, End>>,
    private readonly log: Logger,
  ) {}

  /**
   * Returns the end of the job, or null when it has not ended after `timeoutMs`, or when `left` is aborted. A failed read is repeated: the job is
   * recorded, so an unreachable database does not end the wait.
   */
  wait(jobId: number, timeoutMs: number, left: AbortSignal): Promise<End | null> {
    return new Promise((resolve) => {
      const read = (): void => this.readSoon(waiter);
      const readLast = (): void => {
        waiter.isLast = true;
        read();
      };
      const unsubscribe = this.hints.subscribe(bullJobId(jobId), () => (this.hints.isClosing ? readLast() : read()));
      const timer = setTimeout(readLast, timeoutMs);
      const waiter: Waiter<End> = {
        jobId,
        isLast: timeoutMs === 0 || this.hints.isClosing,
        settle: (end) => {
          unsubscribe();
          clearTimeout(timer);
          left.removeEventListener('abort', leave);
          this.waiting.delete(waiter);
          if (this.waiting.size === 0) {
            clearInterval(this.timer);
            this.timer = undefined;
          }
          resolve(end);
        },
      };
      const leave = (): void => waiter.settle(null);
      left.addEventListener('abort', leave);
      this.waiting.add(waiter);
      this.timer ??= setInterval(() => this.waiting.forEach((one) => this.readSoon(one)), READ_AGAIN_MS);
      if (left.aborted) leave();
      read();
    });
  }

  private readSoon(waiter: Waiter<End>): void {
    if (!this.waiting.has(waiter)) return;
    this.unread.add(waiter);
    if (!this.isReading) void this.readAll();
  }

  private async readAll(): Promise<void> {
    this.isReading = true;
    // Jobs that are added in the same iteration of the event loop share the first query.
    await setImmediate();
    while (this.unread.size > 0) {
      const batch = [...this.unread].slice(0, MAX_BATCH);
      // A waiting caller that times out during this read gets one more read.
      const last = new Set(batch.filter(({ isLast }) => isLast));
      for (const waiter of batch) this.unread.delete(waiter);
      const ends = await this.readBatch(batch.map(({ jobId }) => jobId));
      for (const waiter of batch) {
        const end = ends.get(waiter.jobId);
        if (end !== undefined || last.has(waiter)) waiter.settle(end ?? null);
      }
    }
    this.isReading = false;
  }

  private async readBatch(jobIds: readonly number[]): Promise<Map<number, End>> {
    try {
      return await this.read(padded(jobIds));
    } catch (error) {
      this.log.warn({ err: error, jobs: jobIds.length }, 'the ends of jobs could not be read');
      return new Map();
    }
  }
}
