import { leases, type JobQueueName } from '../../config/queues';
import type { Clock } from '../../shared/engine/clock';
import { fromSqlTime, type Sql, toSqlTime, type UnitOfWork } from '../../shared/engine/db';
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
}

/** Claimed; or ended, so there is nothing to do; or not due before `dueAt`. */
export type Claim = { job: ClaimedJob } | { ended: true } | { dueAt: Date };

interface JobRow extends ClaimedJob {
  queue: JobQueueName;
  status: JobStatus;
  availableAt: string;
  leaseUntil: string | null;
}

/**
 * Claims a row for one run. The raised `attempt` is the fence that lets only this run record; until the lease ends no other
 * run claims the row.
 */
export async function claimJob({ sql, clock }: Services, jobId: number): Promise<Claim> {
  const now = clock.now();
  const claimed = await sql.run(
    `UPDATE jobs SET status = 'running', attempt = LAST_INSERT_ID(attempt + 1), leaseUntil = ?, startedAt = ?, updatedAt = ?
      WHERE id = ? AND ((status = 'pending' AND availableAt <= ?) OR (status = 'running' AND leaseUntil < ?))`,
    [toSqlTime(leaseEnd(now)), toSqlTime(now), toSqlTime(now), jobId, toSqlTime(now), toSqlTime(now)],
  );
  const [row] = await sql.rows<JobRow>(
    `SELECT id, companyId, name, queue, payload, attempt, uncounted, maxAttempt, createdAt, requestId, traceparent,
            status, availableAt, leaseUntil
       FROM jobs WHERE id = ?`,
    [jobId],
  );
  if (row === undefined) return { ended: true };
  // The number that this UPDATE wrote: another run may have raised it since.
  if (claimed.affectedRows === 1) {
    metrics.jobStartLatency.observe((now.getTime() - fromSqlTime(row.availableAt).getTime()) / 1000, row.queue);
    return { job: { ...row, attempt: claimed.insertId } };
  }
  if (row.status === 'running') return { dueAt: fromSqlTime(row.leaseUntil ?? row.availableAt) };
  return row.status === 'pending' ? { dueAt: fromSqlTime(row.availableAt) } : { ended: true };
}

/** When a lease that begins now ends. */
export const leaseEnd = (now: Date): Date => new Date(now.getTime() + leases.leaseMs);

/** How a job ends: with a result or an error. */
export type JobEnding = { status: 'done'; result: unknown } | { status: 'failed' | 'uncertain'; error: unknown };

/**
 * Locks the row of a run, as the last statement of a transaction: from here to the commit the row stays this run's. Locked any
 * earlier, the row could not have its lease renewed while the transaction waits for another lock.
 * @throws {LeaseLost} when another run has claimed the job, so that the transaction rolls back.
 */
export async function checkFence({ sql }: UnitOfWork, { id, attempt, companyId }: ClaimedJob): Promise<void> {
  const [own] = await sql.rows(
    "SELECT id FROM jobs WHERE companyId = ? AND id = ? AND attempt = ? AND status = 'running' FOR UPDATE",
    [companyId, id, attempt],
  );
  if (own === undefined) throw new LeaseLost();
}

/**
 * Ends the job.
 * @throws {LeaseLost} when another run has claimed or ended the job, so that the transaction rolls back.
 */
export async function endJob(uow: UnitOfWork, { id, attempt, companyId }: ClaimedJob, end: JobEnding): Promise<void> {
  const now = toSqlTime(uow.now);
  const result = 'result' in end ? JSON.stringify(end.result) : null;
  const error = 'error' in end ? toJobError(end.error) : null;
  const ended = await uow.sql.run(
    `UPDATE jobs SET status = ?, result = ?, lastError = ?, errorCode = ?, leaseUntil = NULL, dedupeKey = NULL,
        endedAt = ?, updatedAt = ?
      WHERE companyId = ? AND id = ? AND attempt = ? AND status = 'running'`,
    [end.status, result, error && JSON.stringify(error), error?.code ?? null, now, now, companyId, id, attempt],
  );
  if (ended.affectedRows === 0) throw new LeaseLost();
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
