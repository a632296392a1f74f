import type { JobQueueName } from '../../../config/queues';
import { fromSqlTime, type Sql } from '../db';
import { errorForOperators, type OperatorJobError } from './getJob';
import type { Job } from './Job';
import type { JobStatus } from './jobStatuses';
import { inState, type JobState } from './jobStates';

/** The last job that pages reach: a page reads all index entries before it. */
export const MAX_LISTED = 10_000;

/** A job as an operator sees it. */
export interface StoredJob {
  id: number;
  companyId: number;
  name: string;
  queue: JobQueueName;
  status: JobStatus;
  /** As recorded, by whatever version. */
  payload: string;
  attempt: number;
  uncounted: number;
  maxAttempt: number;
  error: OperatorJobError | null;
  availableAt: Date;
  createdAt: Date;
  updatedAt: Date;
  /** The start of the last run. */
  startedAt: Date | null;
  endedAt: Date | null;
}

type Times = 'availableAt' | 'createdAt' | 'updatedAt' | 'startedAt' | 'endedAt';

/** A row as MySQL returns it: the error as JSON, times as text. */
type Row = Omit<StoredJob, 'error' | Times> &
  Pick<Job, 'lastError'> & { [Time in Times]: StoredJob[Time] extends Date ? string : string | null };

const columns = `jobs.id, jobs.companyId, name, queue, status, payload, attempt, uncounted, maxAttempt, lastError,
  availableAt, createdAt, updatedAt, startedAt, endedAt`;

/** A part of a list. The integers are written into the statement. */
export interface Slice {
  from: number;
  limit: number;
}

/**
 * Returns jobs of a queue in a state: those that run next first, or those that ran last. At most `MAX_LISTED` of them can be reached, by
 * index entries alone; only the rows of the slice itself are read.
 */
export async function jobsInState(
  sql: Sql,
  queue: JobQueueName,
  state: JobState | 'done',
  now: Date,
  { from, limit }: Slice,
): Promise<StoredJob[]> {
  const end = Math.min(from + limit, MAX_LISTED);
  if (from >= end) return [];
  const direction = state === 'waiting' || state === 'scheduled' ? 'ASC' : 'DESC';
  const order = (table: string): string =>
    ['availableAt', 'companyId', 'id'].map((column) => `${table}.${column} ${direction}`).join(', ');
  const { text, values } = inState(queue, state, now);
  const rows = await sql.rows<Row>(
    `SELECT ${columns} FROM
       (SELECT companyId, id FROM jobs WHERE ${text} ORDER BY ${order('jobs')} LIMIT ${end - from} OFFSET ${from}) AS slice
       JOIN jobs ON jobs.companyId = slice.companyId AND jobs.id = slice.id
      ORDER BY ${order('jobs')}`,
    values,
  );
  return rows.map(toStoredJob);
}

/** Counts the finished jobs of a queue, up to `MAX_LISTED`, in about 10 ms. All of them may be millions. */
export async function countDone(sql: Sql, queue: JobQueueName): Promise<number> {
  const [row] = await sql.rows<{ total: number }>(
    `SELECT COUNT(*) AS total FROM
       (SELECT 1 AS job FROM jobs WHERE queue = ? AND status = 'done' LIMIT ${MAX_LISTED}) AS done`,
    [queue],
  );
  return row?.total ?? 0;
}

/** Returns a job of a queue, or null. */
export async function findStoredJob(sql: Sql, queue: JobQueueName, jobId: number): Promise<StoredJob | null> {
  const [row] = await sql.rows<Row>(`SELECT ${columns} FROM jobs WHERE id = ? AND queue = ?`, [jobId, queue]);
  return row === undefined ? null : toStoredJob(row);
}

function toStoredJob({ lastError, availableAt, createdAt, updatedAt, startedAt, endedAt, ...row }: Row): StoredJob {
  return {
    ...row,
    error: errorForOperators(lastError),
    availableAt: fromSqlTime(availableAt),
    createdAt: fromSqlTime(createdAt),
    updatedAt: fromSqlTime(updatedAt),
    startedAt: startedAt === null ? null : fromSqlTime(startedAt),
    endedAt: endedAt === null ? null : fromSqlTime(endedAt),
  };
}
