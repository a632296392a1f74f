import { queues } from '../../../config/queues';
import { type InstallationWork, placeholders, type SqlText, toSqlTime, type UnitOfWork } from '../db';
import { Conflict } from '../errors';
import { recordEvent } from '../events';
import { groupBy } from '../records';
import { jobSource, type JobFilter, type JobSource } from './jobFilter';
import type { AnyJobContract, JobContracts } from './JobContract';
import { jobEvents } from './events';
import { retryJob } from './retryJob';

/** Jobs of one transaction. */
const BATCH = 200;

/** Jobs that can be retried: those that failed, and those that wait for another attempt. */
export const retriedStatuses = ['failed', 'pending'] as const;
type RetriedStatus = (typeof retriedStatuses)[number];

/** The jobs to retry: failed ones unless `status` is given. */
export interface RetryFilter extends JobFilter {
  status?: RetriedStatus | undefined;
}

/** Jobs of one queue with one code. */
export interface RetryCount {
  queue: string;
  code: string | null;
  jobs: number;
}

/** Counts the jobs that would be retried by queue and code, the most first. */
export async function countToRetry({ sql, now }: InstallationWork, filter: RetryFilter): Promise<RetryCount[]> {
  const { from, text, values } = retrySource(filter, now);
  const rows = await sql.rows<RetryCount>(
    `SELECT queue, errorCode AS code, COUNT(*) AS jobs FROM ${from} WHERE ${text}
      GROUP BY queue, errorCode ORDER BY jobs DESC, queue, code`,
    values,
  );
  return rows.map((row) => ({ ...row, jobs: Number(row.jobs) }));
}

/** A pending job counts if an attempt of it has failed and the next one is due later than `now`. */
function retrySource({ status = 'failed', ...filter }: RetryFilter, now: Date): JobSource {
  const found = jobSource({ ...filter, status });
  // Nothing of other companies is read.
  const source = filter.companyId === undefined ? found : { ...found, from: 'jobs FORCE INDEX (jobs_by_company)' };
  if (status === 'failed') return source;
  return {
    ...source,
    text: `${source.text} AND errorCode IS NOT NULL AND availableAt > ?`,
    values: [...source.values, toSqlTime(now)],
  };
}

/** The outcome of one transaction. */
export interface RetriedBatch {
  retried: number;
  /** Jobs left unchanged: another job with the same key is in flight, this version does not know the job, or it has just started. */
  skipped: number;
  /** Where the next batch begins; null when this was the last one. */
  next: RetryPosition | null;
}

/** The last job of the batch before. */
export interface RetryPosition {
  id: number;
  queue: string;
  relayAt: string;
}

/**
 * Retries the next jobs after a position (null: from the beginning), in the order of the index that has them: a failed one gets a new set
 * of attempts, a pending one is due now. The workers queue them within seconds. The caller commits each batch by itself, so that memory
 * and locks stay bounded however many jobs there are.
 */
export async function retryBatch(
  work: InstallationWork,
  contracts: JobContracts,
  filter: RetryFilter,
  after: RetryPosition | null,
): Promise<RetriedBatch> {
  const { from, text, values } = retrySource(filter, work.now);
  const position = followingSql(filter, after);
  // Locks only the jobs, by their keys.
  const found = await work.sql.rows<FoundJob>(
    `SELECT id, companyId, name, queue, relayAt FROM ${from} WHERE ${text} ${position.text} LIMIT ${BATCH}`,
    [...values, ...position.values],
  );
  const isPending = filter.status === 'pending';
  const retried = isPending ? await hurry(work, found) : await retryFailed(work, contracts, found);
  const isLast = found.length < BATCH;
  return { retried, skipped: found.length - retried, next: isLast ? null : (found.at(-1) ?? null) };
}

/** In the order of `jobs_by_status` and `jobs_by_error`; of a company's jobs, in that of `jobs_by_company`. */
function followingSql({ companyId }: RetryFilter, after: RetryPosition | null): SqlText {
  if (companyId === undefined) return { text: 'AND id > ? ORDER BY id', values: [after?.id ?? 0] };
  const order = 'ORDER BY queue, relayAt, id';
  if (after === null) return { text: order, values: [] };
  const { queue, relayAt, id } = after;
  return {
    text: `AND (queue > ? OR (queue = ? AND relayAt > ?) OR (queue = ? AND relayAt = ? AND id > ?)) ${order}`,
    values: [queue, queue, relayAt, queue, relayAt, id],
  };
}

/**
 * Makes pending jobs due and keeps their attempts. Returns how many still waited. Records no event: `job.retried` says that a failed job
 * got new attempts.
 */
async function hurry({ sql, now }: InstallationWork, jobs: readonly FoundJob[]): Promise<number> {
  if (jobs.length === 0) return 0;
  const time = toSqlTime(now);
  const { affectedRows } = await sql.run(
    `UPDATE jobs SET availableAt = ?, relayAt = ?, updatedAt = ?
      WHERE id IN (${placeholders(jobs.length)}) AND status = 'pending' AND availableAt > ?`,
    [time, time, time, ...jobs.map(({ id }) => id), time],
  );
  return affectedRows;
}

async function retryFailed(
  work: InstallationWork,
  contracts: JobContracts,
  jobs: readonly FoundJob[],
): Promise<number> {
  let retried = 0;
  for (const alike of groupBy(jobs, ({ companyId, name }) => `${companyId} ${name}`).values()) {
    const [{ companyId, name }] = alike;
    const contract = contracts[name];
    if (contract === undefined) continue;
    const uow = work.forCompany(companyId);
    const ids = alike.map(({ id }) => id);
    if (contract.dedupeKey === undefined) retried += await retryTogether(uow, contract, ids);
    // A job that shares its key with a job in flight stays failed.
    else for (const id of ids) if (await isRetried(uow, contracts, id)) retried += 1;
  }
  return retried;
}

interface FoundJob extends RetryPosition {
  companyId: number;
  name: string;
}

/** Retries one job. Returns false when another job has its key, or another command has retried it. */
async function isRetried(uow: UnitOfWork, contracts: JobContracts, id: number): Promise<boolean> {
  try {
    return (await retryJob(uow, contracts, id)).id === id;
  } catch (error) {
    if (error instanceof Conflict) return false;
    throw error;
  }
}

async function retryTogether(
  uow: UnitOfWork,
  { name, queue }: AnyJobContract,
  found: readonly number[],
): Promise<number> {
  const now = toSqlTime(uow.now);
  const failed = await uow.sql.rows<{ id: number }>(
    `SELECT id FROM jobs FORCE INDEX (PRIMARY) WHERE companyId = ? AND id IN (${placeholders(found.length)}) AND status = 'failed'
      FOR UPDATE`,
    [uow.companyId, ...found],
  );
  const ids = failed.map(({ id }) => id);
  if (ids.length === 0) return 0;
  await uow.sql.run(
    `UPDATE jobs SET status = 'pending', uncounted = attempt, maxAttempt = ?, availableAt = ?, relayAt = ?, endedAt = NULL,
        updatedAt = ? WHERE companyId = ? AND id IN (${placeholders(ids.length)})`,
    [queues[queue].retries.attempts, now, now, now, uow.companyId, ...ids],
  );
  for (const id of ids) recordEvent(uow, jobEvents.retried, id, { name });
  return ids.length;
}
