import type { Redis } from 'ioredis';
import { renderFairness } from '../../../config/queues';
import { Overloaded, ServiceUnavailable } from '../errors';
import type { Logger } from '../log';

/**
 * Decides which PDF is printed next. The priority of a render (the lowest number is printed first) is its place among the
 * renders that its company waits for, so companies take turns however many PDFs one of them requests. A company whose renders
 * were cut off recently comes after all others. Each process counts only its own requests.
 */
export class RenderTurns {
  /** By company: the jobs that requests of this process wait for, in their order, and how many requests wait for each job. */
  private readonly waiting = new Map<number, Map<string, number>>();

  constructor(
    private readonly redis: Redis,
    private readonly prefix: string,
    private readonly log: Logger,
  ) {}

  /** Returns how many renders of a company this process waits for. */
  waitingOf(companyId: number): number {
    return this.waiting.get(companyId)?.size ?? 0;
  }

  /**
   * Counts the render as waited for until `work` ends.
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

  /** Tests whether a request of this process waits for the job. */
  isHeld(companyId: number, jobId: string): boolean {
    return this.waiting.get(companyId)?.has(jobId) === true;
  }

  /**
   * Returns the current priority of a render.
   * @throws {ServiceUnavailable} when Redis is unreachable.
   */
  async priorityOf(companyId: number, jobId: string): Promise<number> {
    const place = 1 + [...(this.waiting.get(companyId)?.keys() ?? [])].indexOf(jobId);
    const cutOffs = await this.redis
      .get(this.cutOffKey(companyId))
      .catch((error: unknown) => Promise.reject(new ServiceUnavailable('the job queue', error)));
    const counted = Math.min(Number(cutOffs ?? 0), renderFairness.cutOffsCounted);
    return Math.max(place, 1) + counted * renderFairness.waitingOfCompany;
  }

  /** Records that a render of the company was cut off. Does nothing when Redis is unreachable. */
  async recordCutOff(companyId: number): Promise<void> {
    const key = this.cutOffKey(companyId);
    try {
      await this.redis.multi().incr(key).pexpire(key, renderFairness.cutOffMs).exec();
    } catch (error) {
      this.log.warn({ err: error, companyId }, 'a cut-off render was not counted');
    }
  }

  private cutOffKey(companyId: number): string {
    return `${this.prefix}:renders-cut-off:${companyId}`;
  }
}
