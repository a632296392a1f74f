import { placeholders, toSqlTime, type Sql, type SqlText } from '../../database/sql';
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
  /** This series alone, or all but those that have failed. */
  which: { only: number } | { except: readonly number[] };
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
  const series = await sql.rows<Omit<DueSeries, 'timezone'>>(
    `SELECT companyId, id, recurring, nextDueDate, anchorDate, recurringSince FROM ${table} FORCE INDEX (${table}_due)
      WHERE ${text} ORDER BY dueAt, companyId, id LIMIT ${request.limit} OFFSET ${offset} ${lockClause[locking]}`,
    values,
  );
  const timezones = await timezonesOf(sql, [...new Set(series.map(({ companyId }) => companyId))]);
  return series.map((one) => ({ ...one, timezone: timezones.get(one.companyId) ?? '' }));
}

function due({ asOf, now, which }: DueRequest): SqlText {
  // A day has begun everywhere when it begins at UTC-12, the last zone.
  const moment = asOf === null ? toSqlTime(now) : `${asOf} 12:00:00.000`;
  const conditions = ['dueAt <= ?', 'nextDueDate <= ?'];
  if ('only' in which) conditions.push('id = ?');
  else if (which.except.length > 0) conditions.push(`id NOT IN (${placeholders(which.except.length)})`);
  const ids = 'only' in which ? [which.only] : which.except;
  return { text: conditions.join(' AND '), values: [moment, asOf ?? LAST_DAY, ...ids] };
}

async function timezonesOf(sql: Sql, companyIds: readonly number[]): Promise<Map<number, string>> {
  if (companyIds.length === 0) return new Map();
  const companies = await sql.rows<{ id: number; timezone: string }>(
    `SELECT id, timezone FROM companies WHERE id IN (${placeholders(companyIds.length)})`,
    companyIds,
  );
  return new Map(companies.map(({ id, timezone }) => [id, timezone]));
}
