import { renderFairness } from '../../../config/queues';
import { Overloaded } from '../errors';

/** Counts the renders that requests and jobs of this process wait for. */
export class WaitedRenders {
  /** By company: the jobs, with the number of callers that wait for each. */
  private readonly waiting = new Map<number, Map<string, number>>();

  /** Returns how many callers in this process wait for renders of a company. */
  callersOf(companyId: number): number {
    return [...(this.waiting.get(companyId)?.values() ?? [])].reduce((sum, callers) => sum + callers, 0);
  }

  /**
   * Counts the render as waited for until `work` ends, which is called in the same tick.
   * @throws {Overloaded} when the company already waits for too many renders.
   */
  async hold<T>(companyId: number, jobId: string, work: () => Promise<T>): Promise<T> {
    const jobs = this.waiting.get(companyId) ?? new Map<string, number>();
    if (!jobs.has(jobId) && jobs.size >= renderFairness.waitingOfCompany) throw new Overloaded('PDFs of this company');
    this.waiting.set(companyId, jobs.set(jobId, (jobs.get(jobId) ?? 0) + 1));
    try {
      return await work();
    } finally {
      const others = (jobs.get(jobId) ?? 1) - 1;
      if (others > 0) jobs.set(jobId, others);
      else jobs.delete(jobId);
      if (jobs.size === 0) this.waiting.delete(companyId);
    }
  }

  /** Tests whether a caller in this process waits for the job. */
  isHeld(companyId: number, jobId: string): boolean {
    return this.waiting.get(companyId)?.has(jobId) === true;
  }
}
