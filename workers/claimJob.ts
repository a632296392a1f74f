import { leases } from '../config/queues';
import { fromSqlTime, toSqlTime } from '../shared/database/sql';
import type { JobStatus } from '../shared/database/models/Job';
import type { JobName } from '../shared/jobs';
import type { Services } from '../shared/services';

/** The row of a job that this process has claimed. */
export interface ClaimedJob {
  id: number;
  companyId: number;
  name: JobName;
  payload: string;
  attempt: number;
  maxAttempt: number;
  createdAt: string;
}

/** Claimed; or ended (nothing to do); or not now, but at a moment. */
export type Claim = { job: ClaimedJob } | { ended: true } | { notBefore: Date };

interface JobRow extends ClaimedJob {
  status: JobStatus;
  availableAt: string;
  leaseUntil: string | null;
}

/**
 * Claims a row for one run: the raised `attempt` is the fence that lets only this run record, the lease tells others to
 * keep away until it ends.
 */
export async function claimJob({ sql, clock }: Services, jobId: number): Promise<Claim> {
  const now = clock.now();
  const claimed = await sql.run(
    `UPDATE jobs SET status = 'running', attempt = LAST_INSERT_ID(attempt + 1), leaseUntil = ?, startedAt = ?, updatedAt = ?
      WHERE id = ? AND ((status = 'pending' AND availableAt <= ?) OR (status = 'running' AND leaseUntil < ?))`,
    [toSqlTime(leaseEnd(now)), toSqlTime(now), toSqlTime(now), jobId, toSqlTime(now), toSqlTime(now)],
  );
  const [row] = await sql.rows<JobRow>(
    `SELECT id, companyId, name, payload, attempt, maxAttempt, createdAt, status, availableAt, leaseUntil
       FROM jobs WHERE id = ?`,
    [jobId],
  );
  if (row === undefined) return { ended: true };
  // The fence is what this very statement wrote: by now another run may have raised it.
  if (claimed.affectedRows === 1) return { job: { ...row, attempt: claimed.insertId } };
  if (row.status === 'running') return { notBefore: fromSqlTime(row.leaseUntil ?? row.availableAt) };
  return row.status === 'pending' ? { notBefore: fromSqlTime(row.availableAt) } : { ended: true };
}

/** Until when a lease holds that begins now. */
export const leaseEnd = (now: Date): Date => new Date(now.getTime() + leases.leaseMs);
