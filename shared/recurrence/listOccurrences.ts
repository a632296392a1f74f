import type { Sql } from '../engine/db';
import type { DateOnly } from '../dates/dates';
import { firstAfter } from './cadence';
import type { PlannableSeries } from './datesBetween';
import { upcomingDates } from './planOccurrences';
import type { Recurrence } from './recurrences';
import { NotFound } from '../engine/errors';
import { type Page, pageOf, type PageRequest } from '../engine/records';
import type { SeriesKind } from './SeriesKind';
import { cadenceOf } from './SeriesState';

/** An existing occurrence, possibly a deleted one: a deleted occurrence is not made again. */
export interface OccurrenceRecord {
  id: number;
  date: DateOnly;
  status: string;
  softDelete: 0 | 1;
  /** Only of invoices. */
  invoiceNumber?: string;
}

export interface OccurrencesRequest extends PageRequest<'date'> {
  page: number;
  /** How many upcoming dates to list. */
  next: number;
  includeDeleted: boolean;
}

/** A page of the occurrences of a record, and its upcoming dates. */
export interface Occurrences extends Page<OccurrenceRecord> {
  recurring: Recurrence;
  nextDueDate: DateOnly | null;
  /** The series that the record itself is an occurrence of. */
  seriesId: number | null;
  upcoming: DateOnly[];
}

interface SeriesRow extends PlannableSeries {
  paused: 0 | 1;
  seriesId: number | null;
  softDelete: 0 | 1;
}

/**
 * Returns the occurrences of an expense or invoice. A record that is deleted, paused or no series (any more) has no upcoming dates.
 * @throws {NotFound} when absent, another company's, or deleted (unless `includeDeleted`).
 */
export async function listOccurrences(
  sql: Sql,
  companyId: number,
  kind: SeriesKind,
  id: number,
  request: OccurrencesRequest,
): Promise<Occurrences> {
  const { table, name } = kind;
  const [row] = await sql.rows<SeriesRow>(
    `SELECT recurring, every, nextDueDate, anchorDate, recurringSince, endsOn, paused, seriesId, softDelete FROM ${table}
      WHERE companyId = ? AND id = ?`,
    [companyId, id],
  );
  if (row === undefined || (row.softDelete === 1 && !request.includeDeleted)) throw new NotFound(name);
  const { recurring, nextDueDate, seriesId } = row;
  const direction = request.sortOrder === 'asc' ? 'ASC' : 'DESC';
  const data = await sql.rows<OccurrenceRecord>(
    `SELECT id, occurrenceDate AS date, status, softDelete${name === 'invoice' ? ', invoiceNumber' : ''} FROM ${ofSeries(table)}
      WHERE companyId = ? AND seriesId = ? ORDER BY occurrenceDate ${direction}
      LIMIT ? OFFSET ?`,
    [companyId, id, request.limit, (request.page - 1) * request.limit],
  );
  const [count] = await sql.rows<{ total: number }>(
    `SELECT COUNT(*) AS total FROM ${ofSeries(table)} WHERE companyId = ? AND seriesId = ?`,
    [companyId, id],
  );
  const page = pageOf(data, count?.total ?? 0, request);
  return {
    ...page,
    recurring,
    nextDueDate,
    seriesId,
    upcoming: await upcoming(sql, companyId, kind, id, row, request.next),
  };
}

/** The most dates that one statement looks up. */
const MOST_LOOKED_UP = 5_000;

/** Returns the next dates without an occurrence. When `nextDueDate` was set back, any number of dates already have one. */
async function upcoming(
  sql: Sql,
  companyId: number,
  { table }: SeriesKind,
  id: number,
  row: SeriesRow,
  next: number,
): Promise<DateOnly[]> {
  const { recurringSince: since, endsOn } = row;
  const cadence = cadenceOf(row);
  if (cadence === null || since === null || row.softDelete === 1 || row.paused === 1) return [];
  const free: DateOnly[] = [];
  let from = row.nextDueDate;
  for (let count = next; from !== null && free.length < next; count = Math.min(2 * count, MOST_LOOKED_UP)) {
    const dates = upcomingDates({ cadence, nextDueDate: from, since, endsOn }, count);
    const [first, last] = [dates[0], dates.at(-1)];
    if (first === undefined || last === undefined) break;
    const made = await sql.rows<{ occurrenceDate: DateOnly }>(
      `SELECT occurrenceDate FROM ${ofSeries(table)} WHERE companyId = ? AND seriesId = ? AND occurrenceDate BETWEEN ? AND ?`,
      [companyId, id, first, last],
    );
    const exists = new Set(made.map(({ occurrenceDate }) => occurrenceDate));
    free.push(...dates.filter((date) => !exists.has(date)));
    from = firstAfter(cadence, last);
  }
  return free.slice(0, next);
}

/** Names the index: for a company with few records, the server would read all of them instead. */
const ofSeries = (table: SeriesKind['table']): string => `${table} FORCE INDEX (${table}_occurrence)`;
