import { companyPages, padded, placeholders, type Sql, type SqlText, toSqlTime } from '../engine/db';
import { LAST_DAY, type DateOnly } from '../dates/dates';
import type { Recurrence } from './recurrences';
import type { Scan } from './Scan';
import type { SeriesKind } from './SeriesKind';

/** The columns of a series that a scan reads. */
export interface DueSeries {
  companyId: number;
  id: number;
  recurring: Recurrence;
  every: number;
  nextDueDate: DateOnly;
  endsOn: DateOnly | null;
  paused: 0 | 1;
  anchorDate: DateOnly;
  recurringSince: DateOnly;
  timezone: string;
}

export interface DueRequest {
  companyId: number;
  /** The day that counts as today; null for the company's own. */
  asOf: DateOnly | null;
  now: Date;
  /** One series, or all except those that failed. */
  which: { only: number } | { except: readonly number[] };
  limit: number;
}

/** How to treat rows that another scan has locked: `none` reads without a lock. */
export type Locking = 'none' | 'skip locked' | 'wait';

const lockClause: Record<Locking, string> = { none: '', 'skip locked': 'FOR UPDATE SKIP LOCKED', wait: 'FOR UPDATE' };

/** Returns the companies with due series, in the order of their ids. Reads two index entries of each, however many are due. */
export async function companiesWithDueSeries(
  sql: Sql,
  { table }: SeriesKind,
  { companyId, ...when }: Pick<DueRequest, 'asOf' | 'now'> & Pick<Scan, 'companyId'>,
): Promise<number[]> {
  const found: number[] = [];
  for await (const ids of companyId === undefined ? companyPages(sql) : [[companyId]]) {
    const asked = padded(ids);
    const rows = await sql.rows<{ companyId: number }>(
      `SELECT companyId, MIN(dueAt) FROM ${table} FORCE INDEX (${table}_due)
        WHERE companyId IN (${placeholders(asked.length)}) AND dueAt <= ? GROUP BY companyId ORDER BY companyId`,
      [...asked, latestOf(when)],
    );
    found.push(...rows.map(({ companyId }) => companyId));
  }
  return found;
}

/** The due series that were found. */
export interface FoundSeries {
  due: DueSeries[];
  /** True when there may be more. */
  isFull: boolean;
}

/** Returns due series of a company, the longest overdue first. Reads and locks these alone. */
export async function findDueSeries(
  sql: Sql,
  { table }: SeriesKind,
  request: DueRequest,
  locking: Locking,
  offset = 0,
): Promise<FoundSeries> {
  const ids =
    'only' in request.which ? [request.which.only] : await findIds(sql, table, request, request.which.except, offset);
  const isFull = ids.length === request.limit;
  if (ids.length === 0) return { due: [], isFull };
  const { text, values } = isDue(request);
  // By the primary key: a locking read of a range would lock the first entry after it as well, which is another company's.
  const due = await sql.rows<Omit<DueSeries, 'timezone'>>(
    `SELECT companyId, id, recurring, every, nextDueDate, endsOn, paused, anchorDate, recurringSince
        FROM ${table} FORCE INDEX (PRIMARY)
      WHERE companyId = ? AND id IN (${placeholders(ids.length)}) AND ${text} ORDER BY dueAt, id ${lockClause[locking]}`,
    [request.companyId, ...ids, ...values],
  );
  if (due.length === 0) return { due: [], isFull };
  const timezone = await timezoneOf(sql, request.companyId, locking);
  return { due: due.map((one) => ({ ...one, timezone })), isFull };
}

async function findIds(
  sql: Sql,
  table: SeriesKind['table'],
  request: DueRequest,
  except: readonly number[],
  offset: number,
): Promise<number[]> {
  const { text, values } = isDue(request);
  const others = except.length === 0 ? '' : `AND id NOT IN (${placeholders(except.length)})`;
  const rows = await sql.rows<{ id: number }>(
    `SELECT id FROM ${table} FORCE INDEX (${table}_due)
      WHERE companyId = ? AND ${text} ${others} ORDER BY dueAt, id LIMIT ${request.limit} OFFSET ${offset}`,
    [request.companyId, ...values, ...except],
  );
  return rows.map(({ id }) => id);
}

/** A day has begun in every time zone once it begins at UTC-12. */
const latestOf = ({ asOf, now }: Pick<DueRequest, 'asOf' | 'now'>): string =>
  asOf === null ? toSqlTime(now) : `${asOf} 12:00:00.000`;

const isDue = ({ asOf, now }: DueRequest): SqlText => ({
  text: 'dueAt <= ? AND nextDueDate <= ?',
  values: [latestOf({ asOf, now }), asOf ?? LAST_DAY],
});

/** Reads the time zone of a company and, unless `locking` is `none`, locks it until the commit. A concurrent change of it waits, then moves the new dates. */
export async function timezoneOf(sql: Sql, companyId: number, locking: Locking): Promise<string> {
  const [company] = await sql.rows<{ timezone: string }>(
    `SELECT timezone FROM companies WHERE id = ? ${locking === 'none' ? '' : 'LOCK IN SHARE MODE'}`,
    [companyId],
  );
  return company?.timezone ?? '';
}
