import { Job } from '../../database/models';
import type { JobStatus } from '../../database/models/Job';
import { toJobRecord, type JobRecord } from './getJob';

export interface JobFilter {
  status?: JobStatus;
  /** One company's; else all companies', for the operator. */
  companyId?: number;
  /** At most so many, the newest. */
  limit: number;
}

/** Jobs with their company, the newest first. */
export async function listJobs({ limit, ...where }: JobFilter): Promise<(JobRecord & { companyId: number })[]> {
  const rows = await Job.findAll({ where, order: [['id', 'DESC']], limit });
  return rows.map((row) => ({ companyId: row.companyId, ...toJobRecord(row) }));
}
