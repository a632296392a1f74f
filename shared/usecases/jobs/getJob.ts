import { Job } from '../../database/models';
import type { JobStatus } from '../../database/models/Job';
import { placeholders, type Sql } from '../../database/sql';
import { AppError, NotFound } from '../../errors';

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

/** What the last failure was, as a client may read it; `status` is what a waiting request is answered with. */
export interface JobError {
  code: string;
  message: string;
  status: number;
}

/** @throws {NotFound} when absent or another company's. */
export async function getJob(companyId: number, jobId: number): Promise<JobRecord> {
  const row = await Job.findOne({ where: { companyId, id: jobId } });
  if (row === null) throw new NotFound('job');
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

export function toJobRecord(row: Job): JobRecord {
  return {
    id: row.id,
    name: row.name,
    status: row.status,
    attempt: row.attempt,
    result: parsed<object>(row.result),
    error: parsed<JobError>(row.lastError),
    createdAt: row.createdAt,
    startedAt: row.startedAt,
    endedAt: row.endedAt,
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
