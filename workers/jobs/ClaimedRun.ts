import { fromSqlTime, type UnitOfWork } from '../../shared/engine/db';
import { checkFence, endJob, type ClaimedJob } from './jobRow';
import type { Finished, JobRun, Tools } from './JobRun';
import { Lease } from './Lease';
import { untilRecorded } from './untilRecorded';

/** One claimed run of a job, with the lease that keeps it the only one. */
export class ClaimedRun {
  readonly lease: Lease;

  constructor(
    readonly tools: Tools,
    readonly job: ClaimedJob,
    /** Aborted when the process has to end now. */
    private readonly shutdown: AbortSignal,
    /** When the claim began ({@link Lease}). */
    claimedAt: number,
  ) {
    this.lease = new Lease(tools.services, (until) => tools.leases.renew(job, until), claimedAt);
  }

  /** The run as its handler sees it. */
  forHandler(payload: unknown): JobRun {
    const { tools, job, lease, shutdown } = this;
    const { name, companyId, attempt, id, requestId } = job;
    const perform = <T>(work: (uow: UnitOfWork) => Promise<T>): Promise<T> =>
      this.transaction(async (uow) => {
        const result = await work(uow);
        await checkFence(uow, job);
        return result;
      });
    return {
      tools,
      companyId,
      payload,
      attempt,
      requestId,
      signal: AbortSignal.any([shutdown, lease.lost]),
      job: { id, name, createdAt: fromSqlTime(job.createdAt) },
      perform,
      record: (work) => this.recorded(() => perform(work)),
      finish: async (work) => {
        await this.recorded(() =>
          this.transaction(async (uow) => endJob(uow, job, { status: 'done', result: await work(uow) })),
        );
        return {} as Finished;
      },
    };
  }

  /** One transaction of the job's company. */
  transaction<T>(work: (uow: UnitOfWork) => Promise<T>): Promise<T> {
    const { companyId, name, requestId } = this.job;
    return this.tools.services.perform({ companyId, actor: `job:${name}`, requestId }, work);
  }

  /** Repeats `record` until it is committed ({@link untilRecorded}). */
  recorded<T>(record: () => Promise<T>): Promise<T> {
    return untilRecorded(this.tools.services.log, this.lease, this.shutdown, record);
  }
}
