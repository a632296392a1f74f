import { placeholders, toSqlTime, type Sql, type SqlText, type SqlValue } from '../../database/sql';
import { LAST_DAY, type DateOnly } from '../../domain/dates';
import type { Recurrence } from '../../domain/statuses';
import type { SeriesKind } from './SeriesKind';

/** A series as the sweep sees it. */
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
  /** Instead of each company's own day: operators may run the schedules as of a date. */
  asOf: DateOnly | null;
  now: Date;
  /** This series alone, or all but what has failed. */
  which:
    | { only: Pick<DueSeries, 'companyId' | 'id'> }
    | { except: { series: readonly number[]; companies: readonly number[] } };
  limit: number;
}

/** `skip locked`: what another sweep has in hand is left to it. `wait`: until the other has ended. */
export type Locking = 'none' | 'skip locked' | 'wait';

const lockClause: Record<Locking, string> = { none: '', 'skip locked': 'FOR UPDATE SKIP LOCKED', wait: 'FOR UPDATE' };

/** The series that are due, the longest overdue first, of all companies. */
export async function findDueSeries(
  sql: Sql,
  { table }: SeriesKind,
  request: DueRequest,
  locking: Locking,
  offset = 0,
): Promise<DueSeries[]> {
  const { text, values } = due(request);
  // One of them is found by its key, not among all that are due.
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
  // A day has begun everywhere when it begins at UTC-12, the last zone.
  const moment = asOf === null ? toSqlTime(now) : `${asOf} 12:00:00.000`;
  const conditions = ['dueAt <= ?', 'nextDueDate <= ?'];
  const values: SqlValue[] = [moment, asOf ?? LAST_DAY];
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

/** Held until the commit: a time zone that is changed meanwhile finds the series where this transaction leaves them. */
async function timezonesOf(sql: Sql, companyIds: readonly number[], locking: Locking): Promise<Map<number, string>> {
  if (companyIds.length === 0) return new Map();
  const companies = await sql.rows<{ id: number; timezone: string }>(
    `SELECT id, timezone FROM companies WHERE id IN (${placeholders(companyIds.length)}) ORDER BY id
      ${locking === 'none' ? '' : 'LOCK IN SHARE MODE'}`,
    companyIds,
  );
  return new Map(companies.map(({ id, timezone }) => [id, timezone]));
}
