import Ajv from 'ajv';
import { databaseRetry, relay, retryPolicies } from '../config/queues';
import { toDatabaseUnavailable } from '../shared/database/databaseErrors';
import type { UnitOfWork } from '../shared/database/unitOfWork';
import { AppError, DeliveryUncertain } from '../shared/errors';
import { fromSqlTime, toSqlTime } from '../shared/database/sql';
import { jobContracts, type JobName, type JobPayload, type JobResult } from '../shared/jobs';
import { toJobError } from '../shared/usecases/jobs/getJob';
import { backoff } from './backoff';
import { claimJob, type ClaimedJob } from './claimJob';
import { TakenOver, TooEarly, type Finished, type JobHandler, type JobRun, type Tools } from './JobRun';
import { Lease } from './Lease';
import { registry } from './registry';
import { untilRecorded } from './untilRecorded';

/** What becomes of the queue's entry: it is done with, fails for good, or comes again at a moment. */
export type RunOutcome = { done: true } | { failed: Error } | { again: Date };

const ajv = new Ajv();
const UNKNOWN_JOB_MS = 30_000;
const MESSAGE_CRASHED = 'the job was interrupted too often';

/** One claimed run with what keeps it the job's only one. */
interface Claimed {
  readonly tools: Tools;
  readonly job: ClaimedJob;
  readonly lease: Lease;
  /** Aborted when the process has to end now. */
  readonly shutdown: AbortSignal;
}

/**
 * The one wrapper around every job: claims the row, checks the payload, runs the handler, records the outcome, classifies the
 * error. Called twice for one row, the second call finds it claimed or ended.
 * @throws {ServiceUnavailable} when MySQL is unreachable before the row is claimed: the queue's entry has to be retried.
 */
export async function runJob(tools: Tools, jobId: number, shutdown: AbortSignal): Promise<RunOutcome> {
  const claim = await claimJob(tools.services, jobId);
  if ('ended' in claim) return { done: true };
  if ('notBefore' in claim) return { again: claim.notBefore };
  const { job } = claim;
  const handler = registry[job.name] as JobHandler<JobName> | undefined;
  const lease = new Lease(tools.services, tools.leases, job);
  const claimed: Claimed = { tools, job, lease, shutdown };
  try {
    if (handler === undefined) throw unknownJob(tools, job);
    const payload = readPayload(job);
    if (job.attempt > job.maxAttempt) throw new AppError('job_crashed', MESSAGE_CRASHED, { status: 502 });
    await handler.run(runOf(claimed, payload));
    return { done: true };
  } catch (error) {
    return await recordFailure(claimed, handler, error);
  } finally {
    lease.release();
  }
}

/** While a new version is rolled out an old worker meets jobs that it does not know: they are left to the others. */
function unknownJob({ services }: Tools, { id, name }: ClaimedJob): TooEarly {
  services.log.warn({ jobId: id, job: name }, 'this worker does not know the job and leaves it to a newer one');
  return new TooEarly(new Date(services.clock.now().getTime() + UNKNOWN_JOB_MS));
}

class InvalidPayload extends AppError {
  constructor(name: JobName, problem: string) {
    super('invalid_payload', `payload of ${name}: ${problem}`, { status: 502 });
  }
}

/** @throws {InvalidPayload} when another version of the program has recorded it. */
function readPayload({ name, payload: text }: ClaimedJob): JobPayload<JobName> {
  const payload = parseJson(text) as JobPayload<JobName>;
  if (!ajv.validate(jobContracts[name].payload, payload)) throw new InvalidPayload(name, ajv.errorsText());
  return payload;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function runOf(claimed: Claimed, payload: JobPayload<JobName>): JobRun {
  const { tools, job, lease, shutdown } = claimed;
  const { name, companyId, attempt, id } = job;
  const step = <T>(work: (uow: UnitOfWork) => Promise<T>): Promise<T> =>
    transaction(claimed, async (uow) => {
      const result = await work(uow);
      await checkFence(uow, job);
      return result;
    });
  return {
    tools,
    companyId,
    payload,
    attempt,
    signal: AbortSignal.any([shutdown, lease.lost]),
    job: { id, name, createdAt: fromSqlTime(job.createdAt) },
    perform: step,
    record: (work) => recorded(claimed, () => step(work)),
    finish: async (work) => {
      await recorded(claimed, () =>
        transaction(claimed, async (uow) => endJob(uow, job, 'done', { result: await work(uow) })),
      );
      return {} as Finished;
    },
  };
}

function transaction<T>({ tools, job }: Claimed, work: (uow: UnitOfWork) => Promise<T>): Promise<T> {
  return tools.services.perform({ companyId: job.companyId, actor: `job:${job.name}` }, work);
}

function recorded<T>({ tools, job, lease, shutdown }: Claimed, record: () => Promise<T>): Promise<T> {
  const log = tools.services.log.child({ jobId: job.id, job: job.name, attempt: job.attempt });
  return untilRecorded(log, lease, shutdown, record);
}

/**
 * The last statement of a transaction: from here to the commit the row stays this run's, or everything rolls back. Locked
 * any earlier, the row could not have its lease renewed while the transaction waits for another lock.
 */
async function checkFence(uow: UnitOfWork, { id, attempt, companyId }: ClaimedJob): Promise<void> {
  const [own] = await uow.sql.rows(
    "SELECT id FROM jobs WHERE companyId = ? AND id = ? AND attempt = ? AND status = 'running' FOR UPDATE",
    [companyId, id, attempt],
  );
  if (own === undefined) throw new TakenOver();
}

interface Ending {
  result?: JobResult<JobName>;
  error?: unknown;
}

/** Ends the row, only where `attempt` is still this run's. */
async function endJob(
  uow: UnitOfWork,
  { id, attempt, companyId }: ClaimedJob,
  status: 'done' | 'failed' | 'uncertain',
  { result, error }: Ending,
): Promise<void> {
  const ended = await uow.sql.run(
    `UPDATE jobs SET status = ?, result = ?, lastError = ?, leaseUntil = NULL, dedupeKey = NULL,
        endedAt = ?, updatedAt = ?
      WHERE companyId = ? AND id = ? AND attempt = ? AND status = 'running'`,
    [
      status,
      result === undefined ? null : JSON.stringify(result),
      error === undefined ? null : JSON.stringify(toJobError(error)),
      toSqlTime(uow.now),
      toSqlTime(uow.now),
      companyId,
      id,
      attempt,
    ],
  );
  if (ended.affectedRows === 0) throw new TakenOver();
}

async function recordFailure(
  claimed: Claimed,
  handler: JobHandler<JobName> | undefined,
  error: unknown,
): Promise<RunOutcome> {
  const { tools, job } = claimed;
  const { log, clock } = tools.services;
  if (error instanceof TakenOver) return { done: true };
  if (error instanceof TooEarly) return putBack(claimed, error.until, null, job.maxAttempt + 1);
  const about = { err: error, jobId: job.id, job: job.name, attempt: job.attempt };
  const unavailable = toDatabaseUnavailable(error);
  if (unavailable !== null) {
    const until = new Date(clock.now().getTime() + backoff(databaseRetry, job.attempt, unavailable));
    const outcome = await putBack(claimed, until, unavailable, job.maxAttempt + 1);
    log.warn({ ...about, until }, 'a job is deferred: MySQL cannot do its part now');
    return outcome;
  }
  const retryable = error instanceof AppError && error.retryable;
  if (retryable && job.attempt < job.maxAttempt) {
    const policy = retryPolicies[jobContracts[job.name].queue];
    // Deferrals raise `attempt` and `maxAttempt` together, so they do not count as failed attempts.
    const tries = job.attempt - (job.maxAttempt - policy.attempts);
    const until = new Date(clock.now().getTime() + backoff(policy, tries, error));
    const outcome = await putBack(claimed, until, error, job.maxAttempt);
    log.warn({ ...about, until }, 'a job is tried again');
    return outcome;
  }
  const ending = await recorded(claimed, () =>
    transaction(claimed, async (uow) => {
      const known = await whatFailed(uow, job, handler, error);
      await endJob(uow, job, known instanceof DeliveryUncertain ? 'uncertain' : 'failed', { error: known });
      return known;
    }),
  );
  log.error({ ...about, err: ending }, 'a job failed for good');
  return { failed: ending instanceof Error ? ending : new Error(String(ending)) };
}

/** A payload that cannot be read has no subject. */
async function whatFailed(
  uow: UnitOfWork,
  job: ClaimedJob,
  handler: JobHandler<JobName> | undefined,
  error: unknown,
): Promise<unknown> {
  if (handler?.failed === undefined || error instanceof InvalidPayload) return error;
  return handler.failed(uow, readPayload(job), error);
}

async function putBack(claimed: Claimed, until: Date, error: unknown, maxAttempt: number): Promise<RunOutcome> {
  const { services } = claimed.tools;
  const { id, attempt } = claimed.job;
  const back = await recorded(claimed, () =>
    services.sql.run(
      `UPDATE jobs SET status = 'pending', availableAt = ?, relayAt = ?, leaseUntil = NULL, maxAttempt = ?,
        lastError = COALESCE(?, lastError), updatedAt = ?
      WHERE id = ? AND attempt = ? AND status = 'running'`,
      [
        toSqlTime(until),
        toSqlTime(new Date(until.getTime() + relay.graceMs)),
        maxAttempt,
        error === null ? null : JSON.stringify(toJobError(error)),
        toSqlTime(services.clock.now()),
        id,
        attempt,
      ],
    ),
  );
  return back.affectedRows === 1 ? { again: until } : { done: true };
}
