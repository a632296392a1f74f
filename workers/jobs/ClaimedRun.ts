import { fromSqlTime, type UnitOfWork } from '../../shared/engine/db';
import { checkFence, endJobs, type ClaimedJob } from './jobRow';
import type { Finished, JobRun, Stage, Tools } from './JobRun';
import { Lease } from './Lease';
import { untilRecorded } from './untilRecorded';

/** The last statement of a transaction: it belongs to these runs, each with its result. */
type Seal<Result> = (uow: UnitOfWork, done: readonly (readonly [ClaimedJob, Result])[]) => Promise<void>;

const checked: Seal<unknown> = (uow, done) =>
  checkFence(
    uow,
    done.map(([job]) => job),
  );
const ended: Seal<unknown> = (uow, done) =>
  endJobs(
    uow,
    done.map(([job, result]) => [job, { status: 'done', result }]),
  );

/** One run in a round of a stage. */
interface InRound<Given> {
  readonly run: ClaimedRun;
  readonly given: Given;
}

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
    private readonly charge: (ms: number) => void = () => undefined,
  ) {
    this.lease = new Lease(tools.services, (until) => tools.leases.renew(job, until), shutdown, claimedAt);
  }

  /** The run as its handler sees it. */
  forHandler(payload: unknown): JobRun {
    const { tools, job, lease, charge } = this;
    const { name, companyId, attempt, id, requestId, errorCode } = job;
    const perform = <T>(work: (uow: UnitOfWork) => Promise<T>): Promise<T> => this.sealed(work, checked);
    return {
      tools,
      companyId,
      payload,
      attempt,
      requestId,
      signal: lease.aborted,
      charge,
      job: { id, name, createdAt: fromSqlTime(job.createdAt), errorCode },
      perform,
      record: (work) => this.recorded(() => perform(work)),
      finish: async (work) => {
        await this.recorded(() => this.sealed(work, ended));
        return {} as Finished;
      },
      performStage: (stage, given) => this.inRound(stage, given, checked),
      finishStage: async (stage, given) => {
        await this.recorded(() => this.inRound(stage, given, ended));
        return {} as Finished;
      },
    };
  }

  /** One transaction of the job's company. */
  transaction<T>(work: (uow: UnitOfWork) => Promise<T>): Promise<T> {
    return this.tools.services.perform({ companyId: this.job.companyId, ...this.origin }, work);
  }

  /** Repeats `record` until it is committed ({@link untilRecorded}). */
  recorded<T>(record: () => Promise<T>): Promise<T> {
    return untilRecorded(this.tools.services.log, this.lease, this.shutdown, record);
  }

  /** What the run's events name. */
  private get origin(): { actor: string; requestId: string | null } {
    const { name, requestId } = this.job;
    return { actor: `job:${name}`, requestId };
  }

  private sealed<T>(work: (uow: UnitOfWork) => Promise<T>, seal: Seal<T>): Promise<T> {
    return this.transaction(async (uow) => {
      const result = await work(uow);
      await seal(uow, [[this.job, result]]);
      return result;
    });
  }

  private inRound<Given, Result extends object | string>(
    stage: Stage<Given, Result>,
    given: Given,
    seal: Seal<Result>,
  ): Promise<Result> {
    const part: InRound<Given> = { run: this, given };
    return this.tools.rounds.join(stage, this.job.companyId, part, {
      together: (round) =>
        this.transaction(async (uow) => {
          const parts = round.map(({ run, given }) => ({ uow: { ...uow, ...run.origin }, given }));
          const results = await stage(parts, true);
          const done = round.flatMap(({ run }, index) => {
            const result = results[index] ?? null;
            return result === null ? [] : [[run.job, result] as const];
          });
          await seal(uow, done);
          return results;
        }),
      alone: () =>
        this.sealed(async (uow) => {
          const [result] = await stage([{ uow, given }], false);
          if (result === undefined || result === null) throw new Error('a stage has no result of its only part');
          return result;
        }, seal),
    });
  }
}
