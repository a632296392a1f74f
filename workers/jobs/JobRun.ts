import type { ProviderName } from '../../config/paymentProviders';
import type { Clock } from '../../shared/engine/clock';
import type { AnyJobContract, Job, PayloadOf, ResultOf } from '../../shared/engine/jobs';
import type { UnitOfWork } from '../../shared/engine/db';
import type { Services } from '../../shared/services';
import type { EmailTransport, MailPause } from '../mail';
import type { Caller, Gateways } from '../gateways';
import type { WebhookSender } from '../webhooks/WebhookSender';
import type { LeaseConnection } from './LeaseConnection';
import type { Rounds } from './Rounds';

/** The rate limit of the calls to a provider, see `ProviderRateLimit`. */
export interface RateLimit {
  /**
   * Waits until one call may begin. The caller is the same object for all calls of a run.
   * @param signal ends the wait; that of the caller, unless it ends earlier
   * @throws {Snooze} when that takes too long, the signal is aborted, or Redis is unreachable: the call must not be made now.
   */
  turn(caller: Caller, signal?: AbortSignal): Promise<void>;
  /** Stops all calls for the provider's `Retry-After`, at most ten minutes. Returns for how long. Never throws. */
  hold(askedMs: number): Promise<number>;
}

/** The mail provider, or a payment provider. Their accounts are the installation's, so a limit holds for all companies. */
export type CalledProvider = 'email' | ProviderName;

export type RateLimits = Readonly<Record<CalledProvider, RateLimit>>;

/** The tools of handlers, opened once for the process. */
export interface Tools {
  readonly services: Services;
  readonly email: EmailTransport;
  readonly mailPause: MailPause;
  readonly gateways: Gateways;
  readonly leases: LeaseConnection;
  readonly rateLimits: RateLimits;
  readonly rounds: Rounds;
  readonly sender: WebhookSender;
}

declare const finished: unique symbol;
/** Only {@link JobRun.finish} makes one: a handler cannot end a job without recording its outcome. */
export interface Finished {
  readonly [finished]: true;
}

/** One claimed run of a job. */
export interface JobRun<C extends AnyJobContract = AnyJobContract> {
  readonly tools: Tools;
  readonly companyId: number;
  readonly payload: PayloadOf<C>;
  /** From 1. Above 1, an earlier run may have ended at any point of its work. */
  readonly attempt: number;
  /** The request from which the job follows, if there is one. */
  readonly requestId: string | null;
  readonly job: Pick<Job, 'id' | 'name' | 'createdAt'> & { errorCode: string | null };
  /** Aborted when the lease is lost or the process has to end now. */
  readonly signal: AbortSignal;
  /** Counts what the run costs the event loop beyond the usual cost of its queue, so that its company has less of it. In milliseconds. */
  charge(ms: number): void;
  /**
   * One transaction of this run; it rolls back if another run has claimed the job meanwhile. For the work before a call to a provider: when
   * MySQL fails, the whole job is retried later.
   */
  perform<T>(work: (uow: UnitOfWork) => Promise<T>): Promise<T>;
  /**
   * Like {@link perform}, for the outcome of a call: retried until it is committed, the lease is lost, or the process has to end. `work`
   * may run again after its own commit, so it reads first whether it has recorded.
   */
  record<T>(work: (uow: UnitOfWork) => Promise<T>): Promise<T>;
  /** Records the outcome and the job's end in one transaction, retried like {@link record}. */
  finish(work: (uow: UnitOfWork) => Promise<ResultOf<C>>): Promise<Finished>;
  /** Like {@link perform}, in one transaction with other runs of the company that come to the stage at the same time ({@link Rounds}). */
  performStage<Given, Result extends object | string>(stage: Stage<Given, Result>, given: Given): Promise<Result>;
  /** Like {@link finish}, in one transaction with other runs of the company that come to the stage at the same time. */
  finishStage<Given>(stage: Stage<Given, ResultOf<C>>, given: Given): Promise<Finished>;
}

/** A run's part of a {@link Stage}. What the part records names the run's job and its request. */
export interface Part<Given> {
  readonly uow: UnitOfWork;
  readonly given: Given;
}

/** The transaction of all parts of a stage. */
export function transactionOf([first]: readonly Part<unknown>[]): UnitOfWork {
  if (first === undefined) throw new Error('a stage has at least one part');
  return first.uow;
}

/**
 * One step of one run or of several runs of a company, in one transaction. Returns the results in the order of the parts.
 *
 * With `skipLocked` it waits for no row that another transaction has locked, and returns null for each part that it has written nothing
 * of: its row is locked, or it cannot be done. Such a part is then done alone and without `skipLocked`, where it waits, or throws why it
 * cannot be done. What throws rolls all parts back, and each is done alone.
 */
export type Stage<Given, Result> = (
  parts: readonly Part<Given>[],
  skipLocked: boolean,
) => Promise<readonly (Result | null)[]>;

/** The handler of one kind of job. */
export interface JobHandler<C extends AnyJobContract = AnyJobContract> {
  readonly contract: C;
  /** Does the work. A retryable error leads to a retry, with backoff; any other ends the job. */
  run(run: JobRun<C>): Promise<Finished>;
  /**
   * Records the failure at the job's subject, in the transaction that ends the job. Returns the error of the job: the given one, or a more
   * exact one from the subject's state (`DeliveryUncertain` after a crash).
   */
  failed?(uow: UnitOfWork, payload: PayloadOf<C>, error: unknown): Promise<unknown>;
}

/** Handlers by the name of the job. */
export type JobHandlers = Readonly<Record<string, JobHandler>>;

/** The result for the queue's entry: done, failed for good, or delayed until the job's next run. */
export type RunOutcome = { done: true } | { failed: Error } | { nextRunAt: Date };

/** Thrown by a handler that must not go on before a time (another call may still be running); uses no attempt. */
export class Snooze extends Error {
  /** @param cause shown as the job's error until its next run */
  constructor(
    readonly until: Date,
    cause?: Error,
  ) {
    super(`not before ${until.toISOString()}`, cause && { cause });
    this.name = 'Snooze';
  }
}

/** A {@link Snooze} that ends this many milliseconds from now. */
export const snoozeFor = (ms: number, clock: Clock, cause?: Error): Snooze =>
  new Snooze(new Date(clock.now().getTime() + ms), cause);

/** The lease was lost: another run has claimed the job, so the transaction of this run rolls back. */
export class LeaseLost extends Error {
  constructor() {
    super('another run has claimed this job');
    this.name = 'LeaseLost';
  }
}
