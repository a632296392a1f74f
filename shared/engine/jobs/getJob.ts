import type { Job } from './Job';
import { placeholders, type Sql } from '../db';
import { AppError, type ErrorCode, NotFound } from '../errors';
import { readJobs, type StoredJob } from './storedJob';

type Shown = 'id' | 'name' | 'queue' | 'status' | 'attempt' | 'createdAt' | 'startedAt' | 'endedAt';

/** A job as its company sees it. `attempt` counts its runs, deferrals included. */
export interface JobRecord extends Pick<Job, Shown> {
  /** Attempts since the job was recorded, or retried by an operator: runs without deferrals, including the one in progress. */
  attemptsUsed: number;
  /** The most attempts that may fail. */
  attemptsAllowed: number;
  /** The earliest time at which a pending job runs; null for others. */
  nextAttemptAt: Date | null;
  result: object | null;
  error: JobError | null;
}

/** The last failure as a client may read it; `status` is the HTTP status of the response to a waiting request. */
export interface JobError {
  code: ErrorCode;
  message: string;
  status: number;
}

/** The last failure as operators read it and MySQL stores it. */
export interface OperatorJobError extends JobError {
  /** Details for operators only, for example a host of the installation. */
  detail?: string;
}

/** @throws {NotFound} when absent or another company's. */
export async function getJob(sql: Sql, companyId: number, jobId: number): Promise<JobRecord> {
  const [job] = await readJobs(sql, 'jobs WHERE companyId = ? AND id = ?', [companyId, jobId]);
  if (job === undefined) throw new NotFound('job');
  return toJobRecord(job);
}

/** The end of a job, for the waiting request. */
export type JobEnd = Pick<JobRecord, 'status' | 'result' | 'error'>;

/** Returns the ends of the ended jobs, by id. For jobs that the caller recorded: the company is not checked. */
export async function readJobEnds(sql: Sql, jobIds: readonly number[]): Promise<Map<number, JobEnd>> {
  const rows = await sql.rows<Pick<Job, 'id' | 'status' | 'result' | 'lastError'>>(
    `SELECT id, status, result, lastError FROM jobs
      WHERE id IN (${placeholders(jobIds.length)}) AND status NOT IN ('pending', 'running')`,
    jobIds,
  );
  const ends = new Map<number, JobEnd>();
  for (const { id, status, result, lastError } of rows) {
    ends.set(id, { status, result: parsed(result), error: errorForClients(lastError) });
  }
  return ends;
}

/** Returns what the company of a job may see of it. */
export function toJobRecord({ attempt, uncounted, maxAttempt, ...job }: StoredJob): JobRecord {
  const { id, name, queue, status, createdAt, startedAt, endedAt } = job;
  return {
    ...{ id, name, queue, status, attempt },
    attemptsUsed: attempt - uncounted,
    attemptsAllowed: maxAttempt,
    nextAttemptAt: status === 'pending' ? job.availableAt : null,
    result: parsed<object>(job.result),
    error: errorForClients(job.lastError),
    ...{ createdAt, startedAt, endedAt },
  };
}

function parsed<T>(json: string | null): T | null {
  return json === null ? null : (JSON.parse(json) as T);
}

/** Returns the error in `lastError` with all that operators may read of it. */
export const errorForOperators = (lastError: string | null): OperatorJobError | null => parsed(lastError);

/** Returns the error in `lastError` as the job's company may read it. */
export function errorForClients(lastError: string | null): JobError | null {
  const error = errorForOperators(lastError);
  return error && { code: error.code, message: error.message, status: error.status };
}

/** Returns the failure of an error: the message of a named error, nothing of an unexpected one. Clients may read it without `detail`. */
export function toJobError(error: unknown): OperatorJobError {
  if (error instanceof AppError) {
    const { code, message, status, detail } = error;
    return { code, message, status, ...(detail !== null && { detail }) };
  }
  return { code: 'internal_error', message: 'the job failed unexpectedly; see the workers’ log', status: 502 };
}
