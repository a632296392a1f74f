import { placeholders, toSqlTime, type Sql, type SqlText, type SqlValue } from '../kernel/database/sql';
import { LAST_DAY, type DateOnly } from '../dates/dates';
import type { Recurrence } from './recurrences';
import type { SeriesKind } from './SeriesKind';

/** The columns of a series that a scan reads. */
export interface DueSeries {
  companyId: number;
  id: number;
  recurring: Recurrence;
  nextDueDate: DateOnly;
  anchorDate: DateOnly;
  recurringSince: DateOnly;
  timezone: string;
}

export interface DueRequest {
  /** The day that counts as today; null for each company's own. */
  asOf: DateOnly | null;
  now: Date;
  /** One series, or all except those that failed. */
  which:
    | { only: Pick<DueSeries, 'companyId' | 'id'> }
    | { except: { series: readonly number[]; companies: readonly number[] } };
  limit: number;
}

/** How to treat rows that another scan has locked: `none` reads without a lock. */
export type Locking = 'none' | 'skip locked' | 'wait';

const lockClause: Record<Locking, string> = { none: '', 'skip locked': 'FOR UPDATE SKIP LOCKED', wait: 'FOR UPDATE' };

/** Returns the due series of all companies, the longest overdue first. */
export async function findDueSeries(
  sql: Sql,
  { table }: SeriesKind,
  request: DueRequest,
  locking: Locking,
  offset = 0,
): Promise<DueSeries[]> {
  const { text, values } = due(request);
  // One series is read by its key, not searched among all that are due.
  const index = 'only' in request.which ? 'PRIMARY' : `${table}_due`;
  const series = await sql.rows<Omit<DueSeries, 'timezone'>>(
    `SELECT companyId, id, recurring, nextDueDate, anchorDate, recurringSince FROM ${table} FORCE INDEX (${index})
      WHERE ${text} ORDER BY dueAt, companyId, id LIMIT ${request.limit} OFFSET ${offset} ${lockClause[locking]}`,
    values,
  );
  const timezones = await timezonesOf(sql, [...new Set(series.map(({ companyId }) => companyId))], locking);
  return series.map((one) => ({ ...one, timezone: timezones.get(one.companyId) ?? '' }));
}

function due({ asOf, now, which }: DueRequest): SqlText {
  // A day has begun in every time zone once it begins at UTC-12.
  const latest = asOf === null ? toSqlTime(now) : `${asOf} 12:00:00.000`;
  const conditions = ['dueAt <= ?', 'nextDueDate <= ?'];
  const values: SqlValue[] = [latest, asOf ?? LAST_DAY];
  if ('only' in which) {
    conditions.push('companyId = ?', 'id = ?');
    values.push(which.only.companyId, which.only.id);
  } else {
    for (const [column, ids] of [
      ['id', which.except.series] as const,
      ['companyId', which.except.companies] as const,
    ]) {
      if (ids.length > 0) conditions.push(`${column} NOT IN (${placeholders(ids.length)})`);
      values.push(...ids);
    }
  }
  return { text: conditions.join(' AND '), values };
}

/** Reads the time zones and locks them until the commit. A concurrent change of a time zone waits, then moves the new dates. */
async function timezonesOf(sql: Sql, companyIds: readonly number[], locking: Locking): Promise<Map<number, string>> {
  if (companyIds.length === 0) return new Map();
  const companies = await sql.rows<{ id: number; timezone: string }>(
    `SELECT id, timezone FROM companies WHERE id IN (${placeholders(companyIds.length)}) ORDER BY id
      ${locking === 'none' ? '' : 'LOCK IN SHARE MODE'}`,
    companyIds,
  );
  return new Map(companies.map(({ id, timezone }) => [id, timezone]));
}
