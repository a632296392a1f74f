import Ajv from 'ajv';
import { leases, relay, retryPolicies } from '../config/queues';
import { isConnectionLoss } from '../shared/database/databaseErrors';
import type { UnitOfWork } from '../shared/database/unitOfWork';
import { AppError, DeliveryUncertain, ServiceUnavailable } from '../shared/errors';
import { fromSqlTime, toSqlTime } from '../shared/database/sql';
import { jobContracts, type JobName, type JobPayload, type JobResult } from '../shared/jobs';
import { toJobError } from '../shared/usecases/jobs/getJob';
import { backoff } from './backoff';
import { claimJob, renewLease, type ClaimedJob } from './claimJob';
import { TakenOver, TooEarly, type Finished, type JobHandler, type JobRun, type Tools } from './JobRun';
import { registry } from './registry';

/** What becomes of the queue's entry: it is done with, fails for good, or comes again at a moment. */
export type RunOutcome = { done: true } | { failed: Error } | { again: Date };

const ajv = new Ajv();
const UNKNOWN_JOB_MS = 30_000;
const MESSAGE_CRASHED = 'the job was interrupted too often';

/**
 * The one wrapper around every job: claim the row, check the payload, run the handler, record the outcome, classify the
 * error. Called twice for one row, the second finds it claimed or ended.
 * @throws {ServiceUnavailable} when MySQL is away: the queue's entry has to come again.
 */
export async function runJob(tools: Tools, jobId: number, shutdown: AbortSignal): Promise<RunOutcome> {
  const claim = await claimJob(tools.services, jobId);
  if ('ended' in claim) return { done: true };
  if ('notBefore' in claim) return { again: claim.notBefore };
  const { job } = claim;
  const handler = registry[job.name] as JobHandler<JobName> | undefined;
  const lost = new AbortController();
  const heartbeat = setInterval(() => void keepLease(tools, job, lost), leases.leaseMs / 2);
  const signal = AbortSignal.any([shutdown, lost.signal]);
  try {
    if (handler === undefined) throw unknownJob(tools, job);
    const payload = readPayload(job);
    if (job.attempt > job.maxAttempt) throw new AppError('job_crashed', MESSAGE_CRASHED, { status: 502 });
    await handler.run(runOf(tools, job, payload, signal));
    return { done: true };
  } catch (error) {
    return await recordFailure(tools, job, handler, error);
  } finally {
    clearInterval(heartbeat);
  }
}

/** While a new version is rolled out an old worker meets jobs that it does not know: they are left to the others. */
function unknownJob({ services }: Tools, { id, name }: ClaimedJob): TooEarly {
  services.log.warn({ jobId: id, job: name }, 'this worker does not know the job and leaves it to a newer one');
  return new TooEarly(new Date(services.clock.now().getTime() + UNKNOWN_JOB_MS));
}

async function keepLease({ services }: Tools, job: ClaimedJob, lost: AbortController): Promise<void> {
  try {
    if (!(await renewLease(services, job))) lost.abort(new TakenOver());
  } catch (error) {
    services.log.warn({ err: error, jobId: job.id }, 'a lease could not be renewed');
  }
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

function runOf(tools: Tools, job: ClaimedJob, payload: JobPayload<JobName>, signal: AbortSignal): JobRun {
  const { name, companyId, attempt, id } = job;
  return {
    tools,
    companyId,
    payload,
    attempt,
    signal,
    job: { id, name, createdAt: fromSqlTime(job.createdAt) },
    perform: (work) =>
      fenced(tools, job, async (uow) => {
        await holdFence(uow, job);
        return work(uow);
      }),
    finish: async (work) => {
      await fenced(tools, job, async (uow) => endJob(uow, job, 'done', { result: await work(uow) }));
      return {} as Finished;
    },
  };
}

function fenced<T>({ services }: Tools, job: ClaimedJob, work: (uow: UnitOfWork) => Promise<T>): Promise<T> {
  return services.perform({ companyId: job.companyId, actor: `job:${job.name}` }, work);
}

/** The row stays ours until the commit, or the transaction rolls back. */
async function holdFence(uow: UnitOfWork, { id, attempt, companyId }: ClaimedJob): Promise<void> {
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
  tools: Tools,
  job: ClaimedJob,
  handler: JobHandler<JobName> | undefined,
  error: unknown,
): Promise<RunOutcome> {
  const { log, clock } = tools.services;
  if (error instanceof TakenOver) return { done: true };
  if (isConnectionLoss(error)) throw new ServiceUnavailable('the database', error);
  const now = clock.now();
  if (error instanceof TooEarly) return putBack(tools, job, error.until, null, job.maxAttempt + 1);
  const retryable = error instanceof AppError && error.retryable;
  if (retryable && job.attempt < job.maxAttempt) {
    const policy = retryPolicies[jobContracts[job.name].queue];
    // What cost no attempt has raised both.
    const tries = job.attempt - (job.maxAttempt - policy.attempts);
    const until = new Date(now.getTime() + backoff(policy, tries, error));
    log.warn({ err: error, jobId: job.id, job: job.name, attempt: job.attempt, until }, 'a job is tried again');
    return putBack(tools, job, until, error, job.maxAttempt);
  }
  log.error({ err: error, jobId: job.id, job: job.name, attempt: job.attempt }, 'a job failed for good');
  const ending = await fenced(tools, job, async (uow) => {
    await holdFence(uow, job);
    const known = await whatFailed(uow, job, handler, error);
    await endJob(uow, job, known instanceof DeliveryUncertain ? 'uncertain' : 'failed', { error: known });
    return known;
  });
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

async function putBack(
  { services }: Tools,
  { id, attempt }: ClaimedJob,
  until: Date,
  error: unknown,
  maxAttempt: number,
): Promise<RunOutcome> {
  const back = await services.sql.run(
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
  );
  return back.affectedRows === 1 ? { again: until } : { done: true };
}
