import type { Job } from './Job';
import type { JobStatus } from './jobStatuses';
import { fromSqlTime, placeholders, type Sql } from '../database/sql';
import { AppError, NotFound, type ErrorCode } from '../errors';

/** A job as its company sees it. */
export interface JobRecord {
  id: number;
  name: string;
  status: JobStatus;
  attempt: number;
  result: object | null;
  error: JobError | null;
  createdAt: Date;
  startedAt: Date | null;
  endedAt: Date | null;
}

/** What the last failure was, as a client may read it; `status` is the HTTP status of the response to a waiting request. */
export interface JobError {
  code: ErrorCode;
  message: string;
  status: number;
}

/** The columns of a {@link JobRow}. */
export const jobColumns = 'companyId, id, name, status, attempt, result, lastError, createdAt, startedAt, endedAt';

/** A job as MySQL returns it. */
export type JobRow = Pick<Job, 'companyId' | 'id' | 'name' | 'status' | 'attempt' | 'result' | 'lastError'> & {
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

/** How a job ended, for what waits for it. */
export type JobEnd = Pick<JobRecord, 'status' | 'result' | 'error'>;

/** The ends of those of the jobs that have ended, by id. For jobs that the caller recorded: the company is not checked. */
export async function readJobEnds(sql: Sql, jobIds: readonly number[]): Promise<Map<number, JobEnd>> {
  const rows = await sql.rows<Pick<Job, 'id' | 'status' | 'result' | 'lastError'>>(
    `SELECT id, status, result, lastError FROM jobs
      WHERE id IN (${placeholders(jobIds.length)}) AND status NOT IN ('pending', 'running')`,
    jobIds,
  );
  return new Map(
    rows.map(({ id, status, result, lastError }) => [
      id,
      { status, result: parsed<object>(result), error: parsed<JobError>(lastError) },
    ]),
  );
}

/** The record that a row describes. */
export function toJobRecord(row: JobRow): JobRecord {
  return {
    id: row.id,
    name: row.name,
    status: row.status,
    attempt: row.attempt,
    result: parsed<object>(row.result),
    error: parsed<JobError>(row.lastError),
    createdAt: fromSqlTime(row.createdAt),
    startedAt: row.startedAt === null ? null : fromSqlTime(row.startedAt),
    endedAt: row.endedAt === null ? null : fromSqlTime(row.endedAt),
  };
}

function parsed<T>(json: string | null): T | null {
  return json === null ? null : (JSON.parse(json) as T);
}

/** What a failure says to a client: a named error's own words, nothing of an unexpected one. */
export function toJobError(error: unknown): JobError {
  if (error instanceof AppError) return { code: error.code, message: error.message, status: error.status };
  return { code: 'internal_error', message: 'the job failed unexpectedly; see the workers’ log', status: 502 };
}
