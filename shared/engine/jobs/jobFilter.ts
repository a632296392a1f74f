import type { JobQueueName } from '../../../config/queues';
import { type SqlText, type SqlValue, toSqlTime } from '../db';
import type { JobStatus } from './jobStates';

/** Selects jobs for an operator. An absent field matches every job. */
export interface JobFilter {
  status?: JobStatus | undefined;
  queue?: JobQueueName | undefined;
  companyId?: number | undefined;
  /** The code of the last error. */
  code?: string | undefined;
  /** The earliest end of the job, or the time at which it was recorded if it has not ended. */
  since?: Date | undefined;
  /** Before this time. */
  until?: Date | undefined;
}

/** The SQL of a filter, for `FROM … WHERE …`. */
export interface JobSource extends SqlText {
  /** The table, with the index that has the jobs in the order of their ids. */
  from: string;
}

/**
 * Returns the table, index and conditions of a filter. The index is forced: the optimizer would rather sort a million failed jobs of one
 * queue.
 */
export function jobSource(filter: JobFilter): JobSource {
  const { status, queue, companyId, code, since, until } = filter;
  const time = timeOf(status);
  const conditions: readonly [text: string, value: SqlValue | undefined][] = [
    ['companyId = ?', companyId],
    ['status = ?', status],
    ['queue = ?', queue],
    ['errorCode = ?', code],
    [`${time} >= ?`, since && toSqlTime(since)],
    [`${time} < ?`, until && toSqlTime(until)],
  ];
  const given = conditions.filter(([, value]) => value !== undefined);
  const index = indexFor(filter);
  return {
    from: index === null ? 'jobs' : `jobs FORCE INDEX (${index})`,
    text: given.map(([text]) => text).join(' AND ') || 'TRUE',
    values: given.flatMap(([, value]) => value ?? []),
  };
}

function indexFor({ status, code }: JobFilter): string | null {
  if (code !== undefined) return 'jobs_by_error';
  return status !== undefined && status !== 'done' ? 'jobs_by_status' : null;
}

/** The status decides which of the two times counts, so that an index can be used. */
function timeOf(status: JobStatus | undefined): string {
  if (status === undefined) return 'COALESCE(endedAt, createdAt)';
  return status === 'pending' || status === 'running' ? 'createdAt' : 'endedAt';
}
