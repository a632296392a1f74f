import { fromSqlTime, type Sql, type SqlValue } from '../db';
import type { Job } from './Job';

const names = [
  ...(['companyId', 'id', 'name', 'queue', 'status', 'payload', 'attempt', 'uncounted', 'maxAttempt'] as const),
  ...(['result', 'lastError', 'requestId', 'availableAt', 'createdAt', 'updatedAt', 'startedAt', 'endedAt'] as const),
] as const;

/** A job as it is stored, by whatever version. */
export type StoredJob = Pick<Job, (typeof names)[number]>;

type Times = 'availableAt' | 'createdAt' | 'updatedAt' | 'startedAt' | 'endedAt';
type Row = Omit<StoredJob, Times> & { [Time in Times]: StoredJob[Time] extends Date ? string : string | null };

/** Reads jobs. @param from the rest of the statement: `jobs WHERE …` */
export async function readJobs(sql: Sql, from: string, values: readonly SqlValue[]): Promise<StoredJob[]> {
  const rows = await sql.rows<Row>(`SELECT ${names.map((name) => `jobs.${name}`).join(', ')} FROM ${from}`, values);
  return rows.map((row) => ({
    ...row,
    availableAt: fromSqlTime(row.availableAt),
    createdAt: fromSqlTime(row.createdAt),
    updatedAt: fromSqlTime(row.updatedAt),
    startedAt: row.startedAt === null ? null : fromSqlTime(row.startedAt),
    endedAt: row.endedAt === null ? null : fromSqlTime(row.endedAt),
  }));
}
