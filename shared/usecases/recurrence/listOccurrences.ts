import type { Sql } from '../../database/sql';
import type { DateOnly } from '../../domain/dates';
import { upcomingDates } from '../../domain/planOccurrences';
import type { Recurrence } from '../../domain/statuses';
import { NotFound } from '../../errors';
import { pageOf, type Page, type PageRequest } from '../page';
import type { SeriesKind } from './SeriesKind';
import { cadenceOf } from './SeriesState';

/** An occurrence that exists, deleted ones too: none is made again for their dates. */
export interface OccurrenceRecord {
  id: number;
  date: DateOnly;
  status: string;
  softDelete: 0 | 1;
  /** Of invoices. */
  invoiceNumber?: string;
}

export interface OccurrencesRequest extends PageRequest<'date'> {
  /** How many dates to come. */
  next: number;
  includeDeleted: boolean;
}

/** What a record has brought forth, a page of it, and what is to come. */
export interface Occurrences extends Page<OccurrenceRecord> {
  recurring: Recurrence;
  nextDueDate: DateOnly | null;
  /** The series that the record itself is an occurrence of. */
  seriesId: number | null;
  upcoming: DateOnly[];
}

interface SeriesRow {
  recurring: Recurrence;
  nextDueDate: DateOnly | null;
  anchorDate: DateOnly | null;
  recurringSince: DateOnly | null;
  seriesId: number | null;
  softDelete: 0 | 1;
}

/**
 * The occurrences of an expense or invoice. One that is no series (any more) has no dates to come; one that was deleted neither.
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
    `SELECT recurring, nextDueDate, anchorDate, recurringSince, seriesId, softDelete FROM ${table}
      WHERE companyId = ? AND id = ?`,
    [companyId, id],
  );
  if (row === undefined || (row.softDelete === 1 && !request.includeDeleted)) throw new NotFound(name);
  const { recurring, nextDueDate, seriesId } = row;
  const direction = request.sortOrder === 'asc' ? 'ASC' : 'DESC';
  const data = await sql.rows<OccurrenceRecord>(
    `SELECT id, occurrenceDate AS date, status, softDelete${name === 'invoice' ? ', invoiceNumber' : ''} FROM ${ofSeries(table)}
      WHERE companyId = ? AND seriesId = ? ORDER BY occurrenceDate ${direction}
      LIMIT ${request.limit} OFFSET ${(request.page - 1) * request.limit}`,
    [companyId, id],
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
    upcoming: await toCome(sql, companyId, kind, id, row, request.next),
  };
}

/** The dates to come that have no occurrence: a series that was set back passes over those that have. */
async function toCome(
  sql: Sql,
  companyId: number,
  { table }: SeriesKind,
  id: number,
  row: SeriesRow,
  next: number,
): Promise<DateOnly[]> {
  const { nextDueDate, recurringSince: since } = row;
  const cadence = cadenceOf(row);
  if (cadence === null || nextDueDate === null || since === null || row.softDelete === 1) return [];
  const made = await sql.rows<{ occurrenceDate: DateOnly }>(
    `SELECT occurrenceDate FROM ${ofSeries(table)} WHERE companyId = ? AND seriesId = ? AND occurrenceDate >= ?`,
    [companyId, id, nextDueDate],
  );
  const exists = new Set(made.map(({ occurrenceDate }) => occurrenceDate));
  return upcomingDates({ cadence, nextDueDate, since }, next + exists.size)
    .filter((date) => !exists.has(date))
    .slice(0, next);
}

/** The unique key knows a series' occurrences by date; a company with few records tempts the server to read them all. */
const ofSeries = (table: SeriesKind['table']): string => `${table} FORCE INDEX (${table}_occurrence)`;
