import { NotFound } from '../errors';
import type { Sql } from '../db';
import { errorForOperators, toJobRecord, type JobRecord, type OperatorJobError } from './getJob';
import { jobSource, type JobFilter, type JobSource } from './jobFilter';
import { readJobs } from './storedJob';

/** A job as an operator sees it. */
export interface OperatorJob extends JobRecord {
  companyId: number;
  error: OperatorJobError | null;
  /** The e-mail, the invoice and the payment link of the job; null where it has none. */
  emailId: number | null;
  invoiceId: number | null;
  paymentLinkId: number | null;
  /** The id of the request that recorded it; null for none. */
  requestId: string | null;
}

/** Returns jobs of all companies, the newest first: at most `limit`, and only those with a lower id than `before`. */
export function listJobs(
  sql: Sql,
  filter: JobFilter,
  { before, limit }: { before?: number | undefined; limit: number },
): Promise<OperatorJob[]> {
  const source = jobSource(filter);
  if (before === undefined) return read(sql, source, limit);
  return read(sql, { ...source, text: `${source.text} AND id < ?`, values: [...source.values, before] }, limit);
}

/** Returns one job of any company. @throws {NotFound} that names the id: only operators read it. */
export async function showJob(sql: Sql, jobId: number): Promise<OperatorJob> {
  const [job] = await read(sql, { from: 'jobs', text: 'id = ?', values: [jobId] }, 1);
  if (job === undefined) throw new NotFound(`job ${jobId}`);
  return job;
}

async function read(sql: Sql, { from, text, values }: JobSource, limit: number): Promise<OperatorJob[]> {
  const jobs = await readJobs(sql, `${from} WHERE ${text} ORDER BY id DESC LIMIT ?`, [...values, limit]);
  return jobs.map((stored) => {
    const { companyId, payload, requestId, lastError } = stored;
    const about = JSON.parse(payload) as Record<string, unknown>;
    const idOf = (name: string): number | null => (typeof about[name] === 'number' ? about[name] : null);
    const { id, ...job } = toJobRecord(stored);
    return {
      id,
      companyId,
      ...job,
      error: errorForOperators(lastError),
      emailId: idOf('emailId'),
      invoiceId: idOf('invoiceId'),
      paymentLinkId: idOf('paymentLinkId'),
      requestId,
    };
  });
}
