import { jobQueueNames, type JobQueueName } from '../../../config/queues';
import { fromSqlTime, placeholders, type Sql, toSqlTime } from '../db';

/** A job that is due and has not started. */
export interface DueJob {
  queue: JobQueueName;
  id: number;
  dueAt: Date;
}

/** Returns the first due jobs of each queue that have not started, at most `limit` (an integer) of each. */
export async function firstDueJobs(sql: Sql, now: Date, limit: number): Promise<DueJob[]> {
  const ofQueue = `(SELECT queue, id, availableAt FROM jobs
    WHERE queue = ? AND status = 'pending' AND availableAt <= ? ORDER BY availableAt LIMIT ${limit})`;
  const rows = await sql.rows<{ queue: JobQueueName; id: number; availableAt: string }>(
    jobQueueNames.map(() => ofQueue).join(' UNION ALL '),
    jobQueueNames.flatMap((queue) => [queue, toSqlTime(now)]),
  );
  return rows.map(({ queue, id, availableAt }) => ({ queue, id, dueAt: fromSqlTime(availableAt) }));
}

/** Returns those of the jobs that are still pending. */
export async function stillPending(sql: Sql, jobs: readonly DueJob[]): Promise<DueJob[]> {
  if (jobs.length === 0) return [];
  const rows = await sql.rows<{ id: number }>(
    `SELECT id FROM jobs WHERE id IN (${placeholders(jobs.length)}) AND status = 'pending'`,
    jobs.map(({ id }) => id),
  );
  const pending = new Set(rows.map(({ id }) => id));
  return jobs.filter(({ id }) => pending.has(id));
}
