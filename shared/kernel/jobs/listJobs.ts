import type { Sql } from '../database/sql';
import type { Job, JobStatus } from './Job';
import { jobColumns, toJobRecord, type JobRecord, type JobRow } from './getJob';

/** Which jobs are listed. */
export interface JobFilter {
  status?: JobStatus;
  /** Absent: those of all companies, for the operator. */
  companyId?: number;
  /** How many at most: an integer, which is written into the statement. */
  limit: number;
}

/** A job as the operator sees it. */
type ListedJob = JobRecord & Pick<Job, 'companyId' | 'requestId'>;

/** Returns jobs with their company and the id of the request that recorded them, the newest first. */
export async function listJobs(sql: Sql, { status, companyId, limit }: JobFilter): Promise<ListedJob[]> {
  const conditions = [status && 'status = ?', companyId && 'companyId = ?'].filter(Boolean);
  const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';
  const values = [status, companyId].filter((value) => value !== undefined);
  // MySQL takes no parameter as a LIMIT.
  const text = `SELECT ${jobColumns}, requestId FROM jobs ${where} ORDER BY id DESC LIMIT ${limit}`;
  const rows = await sql.rows<JobRow & Pick<Job, 'requestId'>>(text, values);
  return rows.map((row) => ({ companyId: row.companyId, ...toJobRecord(row), requestId: row.requestId }));
}
