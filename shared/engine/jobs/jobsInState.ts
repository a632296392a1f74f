import type { JobQueueName } from '../../../config/queues';
import type { Sql } from '../db';
import { inState, type JobState } from './jobStates';
import { readJobs, type StoredJob } from './storedJob';

/** The last job that pages reach: a page reads all index entries before it. */
export const MAX_LISTED = 10_000;

/**
 * Returns jobs of a queue in a state: those that run next first, or those that ran last. At most `MAX_LISTED` of them can be reached, by
 * index entries alone; only the rows of the slice itself are read. Its integers are written into the statement.
 */
export async function jobsInState(
  sql: Sql,
  queue: JobQueueName,
  state: JobState | 'done',
  now: Date,
  { from, limit }: { from: number; limit: number },
): Promise<StoredJob[]> {
  const end = Math.min(from + limit, MAX_LISTED);
  if (from >= end) return [];
  const direction = state === 'waiting' || state === 'scheduled' ? 'ASC' : 'DESC';
  const order = ['availableAt', 'companyId', 'id'].map((column) => `jobs.${column} ${direction}`).join(', ');
  const { text, values } = inState(queue, state, now);
  return readJobs(
    sql,
    `(SELECT companyId, id FROM jobs WHERE ${text} ORDER BY ${order} LIMIT ${end - from} OFFSET ${from}) AS slice
       JOIN jobs ON jobs.companyId = slice.companyId AND jobs.id = slice.id
      ORDER BY ${order}`,
    values,
  );
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
  const [job] = await readJobs(sql, 'jobs WHERE id = ? AND queue = ?', [jobId, queue]);
  return job ?? null;
}
