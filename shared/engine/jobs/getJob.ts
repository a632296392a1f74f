import type { JobQueueName } from '../../../config/queues';
import type { Job } from './Job';
import type { JobStatus } from './jobStatuses';
import { fromSqlTime, placeholders, type Sql } from '../db';
import { AppError, type ErrorCode, NotFound } from '../errors';

/** A job as its company sees it. */
export interface JobRecord {
  id: number;
  name: string;
  queue: JobQueueName;
  status: JobStatus;
  /** Runs, deferrals included. */
  attempt: number;
  /** Attempts since the job was recorded, or retried by an operator: runs without deferrals, including the one in progress. */
  attemptsUsed: number;
  /** The most attempts that may fail. */
  attemptsAllowed: number;
  /** The earliest time at which a pending job runs; null for others. */
  nextAttemptAt: Date | null;
  result: object | null;
  error: JobError | null;
  createdAt: Date;
  startedAt: Date | null;
  endedAt: Date | null;
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

/** The columns of a {@link JobRow}. */
export const jobColumns = `companyId, id, name, queue, status, attempt, uncounted, maxAttempt, availableAt, result, lastError,
  createdAt, startedAt, endedAt`;

/** A job as MySQL returns it. */
export type JobRow = Pick<Job, 'companyId' | 'id' | 'name' | 'queue' | 'status' | 'result' | 'lastError'> & {
  attempt: number;
  uncounted: number;
  maxAttempt: number;
  availableAt: string;
  createdAt: string;
  startedAt: string | null;
  endedAt: string | null;
};

/** @throws {NotFound} when absent or another company's. */
export async function getJob(sql: Sql, companyId: number, jobId: number): Promise<JobRecord> {
  const text = `SELECT ${jobColumns} FROM jobs WHERE companyId = ? AND id = ?`;
  const [row] = await sql.rows<JobRow>(text, [companyId, jobId]);
  if (row === undefined) throw new NotFound('job');
  return toJobRecord(row);
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
  return new Map(
    rows.map(({ id, status, result, lastError }) => [
      id,
      { status, result: parsed<object>(result), error: errorForClients(lastError) },
    ]),
  );
}

/** Returns the record of a row. */
export function toJobRecord(row: JobRow): JobRecord {
  return {
    id: row.id,
    name: row.name,
    queue: row.queue,
    status: row.status,
    attempt: row.attempt,
    attemptsUsed: row.attempt - row.uncounted,
    attemptsAllowed: row.maxAttempt,
    nextAttemptAt: row.status === 'pending' ? fromSqlTime(row.availableAt) : null,
    result: parsed<object>(row.result),
    error: errorForClients(row.lastError),
    createdAt: fromSqlTime(row.createdAt),
    startedAt: row.startedAt === null ? null : fromSqlTime(row.startedAt),
    endedAt: row.endedAt === null ? null : fromSqlTime(row.endedAt),
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
