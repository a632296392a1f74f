import type { Job } from '../shared/database/models';
import type { UnitOfWork } from '../shared/database/unitOfWork';
import type { JobName, JobPayload, JobResult } from '../shared/jobs';
import type { Services } from '../shared/services';
import type { EmailTransport } from './email';
import type { Gateway } from './gateways';
import type { LeaseConnection } from './LeaseConnection';

/** What handlers work with, opened once for the process. */
export interface Tools {
  readonly services: Services;
  readonly email: EmailTransport;
  readonly gateway: Gateway;
  readonly leases: LeaseConnection;
}

declare const finished: unique symbol;
/** Only {@link JobRun.finish} makes one: a handler cannot end a job without recording its outcome. */
export interface Finished {
  readonly [finished]: true;
}

/** One claimed run of a job. */
export interface JobRun<N extends JobName = JobName> {
  readonly tools: Tools;
  readonly companyId: number;
  readonly payload: JobPayload<N>;
  /** From 1; above 1 an earlier run may have got anywhere. */
  readonly attempt: number;
  readonly job: Pick<Job, 'id' | 'name'> & { createdAt: Date };
  /** Aborted when the lease is lost or the process has to end now. */
  readonly signal: AbortSignal;
  /**
   * One transaction of this run; it rolls back if another run has claimed the job meanwhile. For what comes before a call to
   * the outside: when MySQL fails, the whole job is retried later.
   */
  perform<T>(work: (uow: UnitOfWork) => Promise<T>): Promise<T>;
  /**
   * Like {@link perform}, for what the outside has said: retried until it is committed, another run has claimed the job, or the
   * process has to end. `work` may run again after its own commit, so it first looks for what it has recorded.
   */
  record<T>(work: (uow: UnitOfWork) => Promise<T>): Promise<T>;
  /** Records the outcome and the job's end in one transaction, retried like {@link record}. */
  finish(work: (uow: UnitOfWork) => Promise<JobResult<N>>): Promise<Finished>;
}

/** How a kind of job is done. */
export interface JobHandler<N extends JobName> {
  /** Does the work. An error that is retryable is tried again, with backoff; any other ends the job. */
  run(run: JobRun<N>): Promise<Finished>;
  /**
   * Runs in the transaction that ends the job, to record what that means for its subject. Answers the error that it ends
   * with: the given one, or what the subject's state tells better (`DeliveryUncertain` after a crash).
   */
  failed?(uow: UnitOfWork, payload: JobPayload<N>, error: unknown): Promise<unknown>;
}

/** Thrown by a handler that must not go on before a moment (another call may still be under way); costs no attempt. */
export class TooEarly extends Error {
  constructor(readonly until: Date) {
    super(`not before ${until.toISOString()}`);
    this.name = 'TooEarly';
  }
}

/** This run has been taken over (its lease ended): whatever it was about to record is rolled back. */
export class TakenOver extends Error {
  constructor() {
    super('another run has taken this job over');
    this.name = 'TakenOver';
  }
}
