import { placeholders, toSqlTime, type Sql } from '../database/sql';
import type { InstallationWork, UnitOfWork } from '../database/unitOfWork';
import { recordEvents } from '../events/recordEvent';
import { jobSource, type JobFilter } from './jobFilter';
import type { AnyJobContract, JobContracts } from './JobContract';
import { jobEvents } from './events';
import { retryJob } from './retryJob';

/** Jobs of one transaction. */
const BATCH = 200;

/** Which failed jobs are retried. */
export type FailedJobs = Omit<JobFilter, 'status'>;

/** Failed jobs of one queue with one code. */
export interface FailedCount {
  queue: string;
  code: string | null;
  jobs: number;
}

/** Counts failed jobs by queue and code, the most first. */
export async function countFailed(sql: Sql, filter: FailedJobs): Promise<FailedCount[]> {
  const { from, text, values } = jobSource({ ...filter, status: 'failed' });
  const rows = await sql.rows<FailedCount>(
    `SELECT queue, errorCode AS code, COUNT(*) AS jobs FROM ${from} WHERE ${text}
      GROUP BY queue, errorCode ORDER BY jobs DESC, queue, code`,
    values,
  );
  return rows.map((row) => ({ ...row, jobs: Number(row.jobs) }));
}

/** What one transaction has done. */
export interface RetriedBatch {
  retried: number;
  /** Failed jobs that stay: another one that does the same is in flight, or this version does not know them. */
  skipped: number;
  /** The id after which the next batch begins; null when this was the last one. */
  next: number | null;
}

/**
 * Gives the first failed jobs with an id above `after` a new set of attempts, in the order of ids. The workers queue them within
 * seconds. The caller commits each batch by itself, so that memory and locks stay bounded however many jobs have failed.
 */
export async function retryBatch(
  work: InstallationWork,
  contracts: JobContracts,
  filter: FailedJobs,
  after: number,
): Promise<RetriedBatch> {
  const { from, text, values } = jobSource({ ...filter, status: 'failed' });
  const found = await work.sql.rows<FoundJob>(
    `SELECT id, companyId, name FROM ${from} WHERE ${text} AND id > ? ORDER BY id LIMIT ${BATCH} FOR UPDATE`,
    [...values, after],
  );
  let retried = 0;
  for (const { companyId, name, ids } of groups(found)) {
    const contract = contracts[name];
    if (contract !== undefined) retried += await retryAlike(work.forCompany(companyId), contracts, contract, ids);
  }
  const isLast = found.length < BATCH;
  return { retried, skipped: found.length - retried, next: isLast ? null : (found.at(-1)?.id ?? null) };
}

interface FoundJob {
  id: number;
  companyId: number;
  name: string;
}

/** The jobs of each company and kind. */
function groups(jobs: readonly FoundJob[]): { companyId: number; name: string; ids: number[] }[] {
  const found = new Map<string, { companyId: number; name: string; ids: number[] }>();
  for (const { id, companyId, name } of jobs) {
    const key = `${companyId} ${name}`;
    const group = found.get(key) ?? { companyId, name, ids: [] };
    group.ids.push(id);
    found.set(key, group);
  }
  return [...found.values()];
}

/** Returns how many of the jobs, all of one company and kind, are pending now. */
async function retryAlike(
  uow: UnitOfWork,
  contracts: JobContracts,
  contract: AnyJobContract,
  ids: readonly number[],
): Promise<number> {
  if (contract.dedupeKey === undefined) return retryTogether(uow, contract, ids);
  // One that shares its key with a job in flight has to stay as it is.
  let retried = 0;
  for (const id of ids) if ((await retryJob(uow, contracts, id)).id === id) retried += 1;
  return retried;
}

/** As `retryJob` does for one job. */
async function retryTogether(
  uow: UnitOfWork,
  { name, retries }: AnyJobContract,
  ids: readonly number[],
): Promise<number> {
  const now = toSqlTime(uow.now);
  await uow.sql.run(
    `UPDATE jobs SET status = 'pending', uncounted = attempt, maxAttempt = ?, availableAt = ?, relayAt = ?, endedAt = NULL,
        updatedAt = ? WHERE companyId = ? AND id IN (${placeholders(ids.length)})`,
    [retries.attempts, now, now, now, uow.companyId, ...ids],
  );
  await recordEvents(
    uow,
    jobEvents.retried,
    ids.map((id) => ({ id, data: { name } })),
  );
  return ids.length;
}
