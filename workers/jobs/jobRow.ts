import { leases, type JobQueueName } from '../../config/queues';
import type { Clock } from '../../shared/engine/clock';
import {
  fromSqlTime,
  padded,
  placeholders,
  type RowMatch,
  rowsOf,
  type Sql,
  toSqlTime,
  type UnitOfWork,
  updateRows,
} from '../../shared/engine/db';
import { type JobStatus, relayAtOf, toJobError } from '../../shared/engine/jobs';
import { metrics } from '../../shared/engine/metrics';
import type { Services } from '../../shared/services';
import { LeaseLost } from './JobRun';

/** The row of a job that this process has claimed. */
export interface ClaimedJob {
  id: number;
  companyId: number;
  name: string;
  payload: string;
  attempt: number;
  /** Runs until now that do not count as attempts. */
  uncounted: number;
  maxAttempt: number;
  createdAt: string;
  requestId: string | null;
  traceparent: string | null;
  /** Of the last run that has left one. */
  errorCode: string | null;
}

/** Claimed; or ended, so there is nothing to do; or not due before `dueAt`. */
export type Claim = { job: ClaimedJob } | { ended: true } | { dueAt: Date };

interface JobRow extends ClaimedJob {
  queue: JobQueueName;
  status: JobStatus;
  availableAt: string;
  leaseUntil: string | null;
}

const jobColumns = `id, companyId, name, queue, payload, attempt, uncounted, maxAttempt, createdAt, requestId, traceparent, errorCode,
  status, availableAt, leaseUntil`;

/** With the present time as both values. */
const isClaimable = "((status = 'pending' AND availableAt <= ?) OR (status = 'running' AND leaseUntil < ?))";

/**
 * Claims a row for one run. The raised `attempt` is the fence that lets only this run record; until the lease ends no other
 * run claims the row.
 */
export async function claimJob({ sql, clock }: Services, jobId: number): Promise<Claim> {
  const now = clock.now();
  const claimed = await sql.run(
    `UPDATE jobs SET status = 'running', attempt = LAST_INSERT_ID(attempt + 1), leaseUntil = ?, startedAt = ?, updatedAt = ?
      WHERE id = ? AND ${isClaimable}`,
    [toSqlTime(leaseEnd(now)), toSqlTime(now), toSqlTime(now), jobId, toSqlTime(now), toSqlTime(now)],
  );
  const [row] = await sql.rows<JobRow>(`SELECT ${jobColumns} FROM jobs WHERE id = ?`, [jobId]);
  if (row === undefined) return { ended: true };
  // The number that this UPDATE wrote: another run may have raised it since.
  if (claimed.affectedRows === 1) return claimOf(row, claimed.insertId, now);
  if (row.status === 'running') return { dueAt: fromSqlTime(row.leaseUntil ?? row.availableAt) };
  return row.status === 'pending' ? { dueAt: fromSqlTime(row.availableAt) } : { ended: true };
}

/**
 * Claims rows, each as {@link claimJob}, several in one transaction. Returns null for those that are not claimed in it: locked by another
 * transaction, absent, ended, not due, or named twice.
 */
export async function claimJobs(services: Services, jobIds: readonly number[]): Promise<(Claim | null)[]> {
  const [first, ...others] = jobIds;
  // One alone takes half of the statements.
  if (first !== undefined && others.length === 0) return [await claimJob(services, first)];
  return services.performForInstallation('worker', async ({ sql, now }) => {
    const at = toSqlTime(now);
    const asked = padded(jobIds);
    const rows = await sql.rows<JobRow>(
      `SELECT ${jobColumns} FROM jobs FORCE INDEX (jobs_id)
        WHERE id IN (${placeholders(asked.length)}) AND ${isClaimable} FOR UPDATE SKIP LOCKED`,
      [...asked, at, at],
    );
    if (rows.length === 0) return jobIds.map(() => null);
    const ids = padded(rows.map(({ id }) => id));
    await sql.run(
      `UPDATE jobs FORCE INDEX (jobs_id) SET status = 'running', attempt = attempt + 1, leaseUntil = ?, startedAt = ?, updatedAt = ?
        WHERE id IN (${placeholders(ids.length)})`,
      [toSqlTime(leaseEnd(now)), at, at, ...ids],
    );
    const claimed = new Map(rows.map((row) => [row.id, row]));
    return jobIds.map((id) => {
      const row = claimed.get(id);
      claimed.delete(id);
      return row === undefined ? null : claimOf(row, row.attempt + 1, now);
    });
  });
}

function claimOf(row: JobRow, attempt: number, now: Date): Claim {
  metrics.jobStartLatency.observe((now.getTime() - fromSqlTime(row.availableAt).getTime()) / 1000, row.queue);
  return { job: { ...row, attempt } };
}

/** When a lease that begins now ends. */
export const leaseEnd = (now: Date): Date => new Date(now.getTime() + leases.leaseMs);

/** How a job ends: with a result or an error. */
export type JobEnding = { status: 'done'; result: unknown } | { status: 'failed' | 'uncertain'; error: unknown };

/** The row of a run, as long as no other run has claimed or ended the job. */
const owned = ({ id, attempt }: ClaimedJob): RowMatch => ({ id, only: { attempt, status: 'running' } });

/**
 * Locks the rows of runs of one company, as the last statement of a transaction: from here to the commit each stays its run's. Locked any
 * earlier, a row could not have its lease renewed while the transaction waits for another lock.
 * @throws {LeaseLost} when another run has claimed one of the jobs, so that the transaction rolls back.
 */
export async function checkFence({ sql, companyId }: UnitOfWork, jobs: readonly ClaimedJob[]): Promise<void> {
  if (jobs.length === 0) return;
  const { text, values } = rowsOf(companyId, jobs.map(owned));
  const own = await sql.rows(`SELECT id FROM jobs FORCE INDEX (PRIMARY) WHERE ${text} FOR UPDATE`, values);
  if (own.length < jobs.length) throw new LeaseLost();
}

/**
 * Ends jobs of one company.
 * @throws {LeaseLost} when another run has claimed or ended one of them, so that the transaction rolls back.
 */
export async function endJobs(uow: UnitOfWork, ends: readonly (readonly [ClaimedJob, JobEnding])[]): Promise<void> {
  if (ends.length === 0) return;
  const changes = ends.map(([job, end]) => {
    const error = 'error' in end ? toJobError(end.error) : null;
    const set = {
      status: end.status,
      result: 'result' in end ? JSON.stringify(end.result) : null,
      lastError: error && JSON.stringify(error),
      errorCode: error?.code ?? null,
      leaseUntil: null,
      dedupeKey: null,
      endedAt: uow.now,
      updatedAt: uow.now,
    };
    return { ...owned(job), set };
  });
  if ((await updateRows(uow.sql, 'jobs', uow.companyId, changes)) < ends.length) throw new LeaseLost();
}

/** When a job runs next, and why not now. */
export interface NextRun {
  at: Date;
  /** Shown until the next run; null keeps the previous error. */
  error: unknown;
  /** Whether the run that has ended counts as a failed attempt. */
  counts: boolean;
}

/** Makes the job pending until its next run. Returns false when another run has claimed or ended the job. */
export async function makePending(
  { sql, clock }: { sql: Sql; clock: Clock },
  { id, attempt }: ClaimedJob,
  { at, error, counts }: NextRun,
): Promise<boolean> {
  const shown = error === null ? null : toJobError(error);
  const { affectedRows } = await sql.run(
    `UPDATE jobs SET status = 'pending', availableAt = ?, relayAt = ?, leaseUntil = NULL, uncounted = uncounted + ${counts ? 0 : 1},
        lastError = COALESCE(?, lastError), errorCode = COALESCE(?, errorCode), updatedAt = ?
      WHERE id = ? AND attempt = ? AND status = 'running'`,
    [
      toSqlTime(at),
      toSqlTime(relayAtOf(at, clock.now())),
      shown && JSON.stringify(shown),
      shown && shown.code,
      toSqlTime(clock.now()),
      id,
      attempt,
    ],
  );
  return affectedRows === 1;
}
