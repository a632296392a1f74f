import type { JobQueueName } from '../../../config/queues';
import { fromSqlTime, type JobRef, type Sql, type SqlText, toSqlTime } from '../db';

// Each statement has one queue and one status, and reads an index in its order, so it reads only the rows that it returns. A statement that
// sorts reads and locks every due row before its LIMIT.

/** Some due jobs, with the index that has them in the order in which they are relayed. */
export interface DueJobs extends SqlText {
  readonly index: string;
}

/** The due jobs of a queue, of all companies. `running` ones have lost their worker. */
export const dueOfAll = (queue: JobQueueName, status: 'pending' | 'running'): DueJobs => ({
  index: 'jobs_to_relay_by_queue',
  text: `queue = ? AND status = '${status}'`,
  values: [queue],
});

/** The due jobs of a queue and one company. */
export const dueOf = (companyId: number, queue: JobQueueName): DueJobs => ({
  index: 'jobs_by_company',
  text: "companyId = ? AND status = 'pending' AND queue = ?",
  values: [companyId, queue],
});

/** Locks and returns some due jobs, those to be relayed first. */
export async function lockDue(sql: Sql, { index, text, values }: DueJobs, now: Date, limit: number): Promise<JobRef[]> {
  const isDue = `${text} AND relayAt <= ? AND (leaseUntil IS NULL OR leaseUntil < ?)`;
  const due = [...values, toSqlTime(now), toSqlTime(now)];
  const found = await sql.rows<{ companyId: number; id: number }>(
    `SELECT companyId, id FROM jobs FORCE INDEX (${index}) WHERE ${isDue} ORDER BY relayAt, id LIMIT ${limit}`,
    due,
  );
  if (found.length === 0) return [];
  // By the primary key: a locking read of a range would lock the first entry after it as well, which is another company's.
  const keys = found.map(() => '(companyId = ? AND id = ?)').join(' OR ');
  const rows = await sql.rows<Omit<JobRef, 'availableAt' | 'isWaitedFor'> & { availableAt: string }>(
    `SELECT companyId, id, name, queue, availableAt, requestId FROM jobs FORCE INDEX (PRIMARY)
      WHERE (${keys}) AND ${isDue} FOR UPDATE SKIP LOCKED`,
    [...found.flatMap(({ companyId, id }) => [companyId, id]), ...due],
  );
  return rows.map((row) => ({ ...row, availableAt: fromSqlTime(row.availableAt), isWaitedFor: false }));
}

/**
 * Returns those of a page of companies that have a due job. Reads one index entry for each, however many jobs it has: without `companyId` in
 * its order, MySQL would read and sort all of them.
 */
export async function companiesWithDue(
  sql: Sql,
  queue: JobQueueName,
  now: Date,
  companyIds: readonly number[],
): Promise<number[]> {
  const companies = await sql.rows<{ id: number; relayAt: string | null }>(
    `SELECT id, (SELECT relayAt FROM jobs FORCE INDEX (jobs_by_company)
        WHERE companyId = companies.id AND status = 'pending' AND queue = ?
        ORDER BY companyId, relayAt LIMIT 1) AS relayAt
      FROM companies WHERE id BETWEEN ? AND ? ORDER BY id`,
    [queue, companyIds[0] ?? 0, companyIds.at(-1) ?? 0],
  );
  return companies.filter(({ relayAt }) => relayAt !== null && fromSqlTime(relayAt) <= now).map(({ id }) => id);
}
