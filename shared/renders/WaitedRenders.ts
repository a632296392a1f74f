import { renderFairness } from '../../config/queues';
import { Overloaded } from '../engine/errors';

/** The least time between two looks of this process for the same render, in milliseconds. */
const LOOK_AGAIN_MS = 1_500;

/** A render that callers wait for. */
interface Waited {
  callers: number;
  lookedAt: number;
  /** The last ending that a caller has looked after. */
  seen: object | null;
}

/** Counts the renders that requests and jobs of this process wait for. */
export class WaitedRenders {
  /** By company and job. */
  private readonly waiting = new Map<number, Map<string, Waited>>();

  /** Returns how many callers in this process wait for renders of a company. */
  callersOf(companyId: number): number {
    return [...(this.waiting.get(companyId)?.values() ?? [])].reduce((sum, { callers }) => sum + callers, 0);
  }

  /**
   * Counts the render as waited for until `work` ends, which is called in the same tick. When the caller has left (`left` is aborted),
   * `leave` is, too, unless it is the last one: its client may ask again, and finds the render in the queue.
   * @throws {Overloaded} when the company already waits for too many renders.
   */
  async hold<T>(
    companyId: number,
    jobId: string,
    left: AbortSignal,
    work: (leave: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const jobs = this.waiting.get(companyId) ?? new Map<string, Waited>();
    if (!jobs.has(jobId) && jobs.size >= renderFairness.waitingOfCompany) throw new Overloaded('PDFs of this company');
    const waited = jobs.get(jobId) ?? { callers: 0, lookedAt: -Infinity, seen: null };
    waited.callers += 1;
    this.waiting.set(companyId, jobs.set(jobId, waited));
    const leave = new AbortController();
    const uncount = (): void => {
      if (waited.callers <= 1) return;
      waited.callers -= 1;
      leave.abort();
    };
    left.addEventListener('abort', uncount);
    if (left.aborted) uncount();
    try {
      return await work(leave.signal);
    } finally {
      left.removeEventListener('abort', uncount);
      if (!leave.signal.aborted) {
        waited.callers -= 1;
        // It has found the render, or could not look: another one looks.
        waited.lookedAt = -Infinity;
      }
      if (waited.callers === 0) jobs.delete(jobId);
      if (jobs.size === 0) this.waiting.delete(companyId);
    }
  }

  /**
   * Tests whether a caller that waits for the render looks for it now, because of an `ending` that was announced or by its time. Its callers
   * take turns: there may be thousands.
   */
  mayLook(companyId: number, jobId: string, ending: object | null): boolean {
    const waited = this.waiting.get(companyId)?.get(jobId);
    const now = performance.now();
    if (waited === undefined) return false;
    const isNews = ending !== null && ending !== waited.seen;
    if (!isNews && now - waited.lookedAt < LOOK_AGAIN_MS) return false;
    waited.seen = ending;
    waited.lookedAt = now;
    return true;
  }

  /** Tests whether a caller in this process waits for the job. */
  isHeld(companyId: number, jobId: string): boolean {
    return this.waiting.get(companyId)?.has(jobId) === true;
  }
}
