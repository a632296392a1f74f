import type { Sql } from '../database/sql';
import type { JobStatus } from './Job';
import { jobColumns, toJobRecord, type JobRecord, type JobRow } from './getJob';

/** Which jobs are listed. */
export interface JobFilter {
  status?: JobStatus;
  /** Absent: those of all companies, for the operator. */
  companyId?: number;
  /** How many at most: an integer, which is written into the statement. */
  limit: number;
}

/** Returns jobs with their company, the newest first. */
export async function listJobs(
  sql: Sql,
  { status, companyId, limit }: JobFilter,
): Promise<(JobRecord & { companyId: number })[]> {
  const conditions = [status && 'status = ?', companyId && 'companyId = ?'].filter(Boolean);
  const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';
  const values = [status, companyId].filter((value) => value !== undefined);
  // MySQL takes no parameter as a LIMIT.
  const text = `SELECT ${jobColumns} FROM jobs ${where} ORDER BY id DESC LIMIT ${limit}`;
  const rows = await sql.rows<JobRow>(text, values);
  return rows.map((row) => ({ companyId: row.companyId, ...toJobRecord(row) }));
}
