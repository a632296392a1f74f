import { padded, placeholders, type Sql, type SqlText } from '../db';
import { eachRow, readRows, type RecordSource } from './source';
import type { Position } from './cursor';
import { envelopeOf, LargePage, pageOf, WHOLE_PAGE_BYTES, type Page, type PageRequest, type Sorting } from './page';

const WHOLE_PAGE_ROWS = 2_000;

/** The requested records of a source. */
export interface PageSource<Row extends object> extends RecordSource<Row> {
  /** All have to hold, beside the condition on the company. */
  conditions: readonly SqlText[];
  /** The index of page and total, where the server would choose another one. */
  index?: string;
  /** The number of records in the whole list, where it is known without counting. */
  count?: SqlText | undefined;
  /** The most records that are counted; beyond, the total is this number and said to be capped. Absent: all are counted. */
  countedUpTo?: number;
  /** Whether deleted records are read too. Absent: records of the source cannot be deleted. */
  includeDeleted?: boolean;
}

/** Which of the sorted records are read. */
interface Cut extends Sorting {
  readonly limit: number;
  readonly offset: number;
  /** Null for a cut that no record precedes, or that has an offset. */
  readonly following: SqlText | null;
}

/** Records as one statement read them; or, where they are too large for one, their ids in order. */
type Listed<Row> = { readonly total: number } & ({ readonly records: Row[] } | { readonly ids: readonly Position[] });

/** The records after a position, and the position of the next ones; null at the end. */
export interface After<Row> {
  readonly records: Row[] | AsyncIterable<Row>;
  readonly total: number;
  readonly next: Position | null;
}

/**
 * Reads one page of a company's records and the total.
 *
 * A page that is larger than one statement may hold is read again as its ids and total, and then record by record.
 */
export async function readPage<Row extends object>(
  sql: Sql,
  companyId: number,
  source: PageSource<Row>,
  { page = 1, ...request }: PageRequest<string>,
): Promise<Page<Row> | LargePage<Row>> {
  const cut = { ...request, following: null, offset: (page - 1) * request.limit };
  const listed = await readListed(sql, companyId, source, cut);
  const place = { page, limit: request.limit, countedUpTo: source.countedUpTo };
  if ('records' in listed) return pageOf(listed.records, listed.total, place);
  return new LargePage(readEach(sql, companyId, source, listed.ids), envelopeOf(listed.total, place));
}

/**
 * Reads the records that follow a position, from the beginning where it is null, and the position of the next ones. A page costs the
 * same however deep it is, where an index has the sorting. Sort key and id order records without ties: those that are not changed
 * meanwhile are read exactly once.
 */
export async function readAfter<Row extends object>(
  sql: Sql,
  companyId: number,
  source: PageSource<Row>,
  { after, limit, sortBy, sortOrder }: Sorting & { after: Position | null; limit: number },
): Promise<After<Row>> {
  const following = after === null ? null : followingSql(source.alias, sortBy, sortOrder, after);
  // Reads one record more than the page shows, to know whether more follow.
  const cut = { sortBy, sortOrder, limit: limit + 1, offset: 0, following };
  const listed = await readListed(sql, companyId, source, cut);
  const found = 'records' in listed ? listed.records : listed.ids;
  const last = found.length > limit ? (found[limit - 1] as Record<string, string | number>) : undefined;
  const sortKey = last?.['records' in listed ? sortBy : 'sortKey'];
  const next = last === undefined || sortKey === undefined ? null : { sortKey, id: Number(last.id) };
  const records =
    'records' in listed ? listed.records.slice(0, limit) : readEach(sql, companyId, source, listed.ids.slice(0, limit));
  return { records, total: listed.total, next };
}

/** Ids that one statement finds. Filters may make it sort all matches, so it is not repeated for each batch. They take about 1 MiB. */
const IDS = 5_000;
/** Records of a batch: a page, so that one statement holds it. */
const BATCH = 100;

/** Reads every record of a source in batches. Those that are not changed meanwhile are read exactly once. */
export async function* readAll<Row extends object>(
  sql: Sql,
  companyId: number,
  source: PageSource<Row>,
  sorting: Sorting,
): AsyncGenerator<Row[]> {
  let following: SqlText | null = null;
  for (;;) {
    const { text, values } = idsSql(companyId, source, { ...sorting, limit: IDS, offset: 0, following });
    const found: Position[] = await sql.rows<Position>(text, values);
    for (let from = 0; from < found.length; from += BATCH) {
      const ids = found.slice(from, from + BATCH).map(({ id }) => id);
      const cut = { ...sorting, limit: BATCH, offset: 0, following: null };
      const listed = await readListed(sql, companyId, among(source, ids), cut);
      if ('records' in listed) yield listed.records;
      else for await (const record of readEach(sql, companyId, source, listed.ids)) yield [record];
    }
    const last = found.at(-1);
    if (last === undefined || found.length < IDS) return;
    following = followingSql(source.alias, sorting.sortBy, sorting.sortOrder, last);
  }
}

/** Returns those records of a source that have one of the ids; they are not counted. */
function among<Row extends object>(source: PageSource<Row>, ids: readonly number[]): PageSource<Row> {
  const asked = padded(ids);
  const ofIds = { text: `${source.alias}.id IN (${placeholders(asked.length)})`, values: asked };
  const conditions = [ofIds, ...source.conditions];
  return { ...source, conditions, index: 'PRIMARY', count: { text: 'SELECT 0', values: [] } };
}

/** Spelled out, because servers read a range of an index for it and not for a comparison of rows. */
function followingSql(alias: string, sortBy: string, sortOrder: 'asc' | 'desc', { sortKey, id }: Position): SqlText {
  const follows = sortOrder === 'asc' ? '>' : '<';
  if (sortBy === 'id') return { text: `${alias}.id ${follows} ?`, values: [id] };
  return {
    text: `(${alias}.${sortBy} ${follows} ? OR (${alias}.${sortBy} = ? AND ${alias}.id ${follows} ?))`,
    values: [sortKey, sortKey, id],
  };
}

/**
 * Reads records and their total in one statement. Ids are found on an index first; only the rows of the cut are read. Ties are broken
 * by id in the same order, so that pages never overlap. The outer order names columns of the page alone, so that its few ids are
 * sorted and not the wide rows joined to them. The order of the joins is the one that is written, whatever the server's statistics.
 */
async function readListed<Row extends object>(
  sql: Sql,
  companyId: number,
  source: PageSource<Row>,
  cut: Cut,
): Promise<Listed<Row>> {
  const { table, alias: a, columns, joins = '', toRecords = eachRow } = source;
  const total = totalSql(companyId, source);
  const ids = idsSql(companyId, source, cut);
  const order = cut.sortOrder === 'asc' ? 'ASC' : 'DESC';
  const page = `(${ids.text}) page`;
  const inOrder = `ORDER BY page.sortKey ${order}, page.id ${order}`;
  const rows = await sql.rowsWithin<Counted>(
    WHOLE_PAGE_BYTES,
    `SELECT STRAIGHT_JOIN ${columns}, (${total.text}) AS listed
       FROM ${page} JOIN ${table} ${a} ON ${a}.companyId = ? AND ${a}.id = page.id ${joins}
      ${inOrder} LIMIT ${WHOLE_PAGE_ROWS}`,
    [...total.values, ...ids.values, companyId],
  );
  if (rows === null || rows.length === WHOLE_PAGE_ROWS) {
    const listed = await sql.rows<Position & Counted>(
      `SELECT page.id, page.sortKey, (${total.text}) AS listed FROM ${page} ${inOrder}`,
      [...total.values, ...ids.values],
    );
    return { ids: listed, total: totalIn(listed[0]) };
  }
  // A page past the end has no row to carry the total.
  const carrier = rows[0] ?? (await sql.rows<Counted>(`SELECT (${total.text}) AS listed`, total.values))[0];
  return { records: toRecords(rows), total: totalIn(carrier) };
}

/**
 * Returns the statement of ids and sort keys, in their order. Indexes lead on `softDelete`: where deleted records are read too, the
 * records that are not deleted and those that are come from the same index in two walks, each no longer than the page is deep. By id,
 * the primary key has both.
 */
function idsSql(companyId: number, source: PageSource<object>, { following, ...cut }: Cut): SqlText {
  const { alias: a, conditions, includeDeleted } = source;
  const { sortBy, limit, offset } = cut;
  const order = cut.sortOrder === 'asc' ? 'ASC' : 'DESC';
  const all = following === null ? conditions : [...conditions, following];
  const values = [companyId, ...all.flatMap((one) => one.values)];
  const select = (of: readonly string[]): string =>
    `SELECT ${a}.id, ${a}.${sortBy} AS sortKey FROM ${indexed(source)}
      WHERE ${[`${a}.companyId = ?`, ...all.map(({ text }) => text), ...of].join(' AND ')}
      ORDER BY ${a}.${sortBy} ${order}, ${a}.id ${order}`;
  if (includeDeleted !== true || sortBy === 'id') {
    const ofKept = includeDeleted === false ? [`${a}.softDelete = 0`] : [];
    return { text: `${select(ofKept)} LIMIT ? OFFSET ?`, values: [...values, limit, offset] };
  }
  const walks = [0, 1].map((deleted) => `(${select([`${a}.softDelete = ${deleted}`])} LIMIT ?)`);
  const ofWalk = [...values, offset + limit];
  const text = `${walks.join(' UNION ALL ')} ORDER BY sortKey ${order}, id ${order} LIMIT ? OFFSET ?`;
  return { text, values: [...ofWalk, ...ofWalk, limit, offset] };
}

function totalSql(companyId: number, source: PageSource<object>): SqlText {
  const { alias: a, conditions, count, countedUpTo, includeDeleted } = source;
  if (count !== undefined) return count;
  const ofDeleted = includeDeleted === undefined ? [] : [`${a}.softDelete ${includeDeleted ? 'IN (0, 1)' : '= 0'}`];
  const all = [`${a}.companyId = ?`, ...conditions.map(({ text }) => text), ...ofDeleted];
  const from = `${indexed(source)} WHERE ${all.join(' AND ')}`;
  const text =
    countedUpTo === undefined
      ? `SELECT COUNT(*) FROM ${from}`
      : `SELECT COUNT(*) FROM (SELECT ${a}.id FROM ${from} LIMIT ${countedUpTo + 1}) counted`;
  return { text, values: [companyId, ...conditions.flatMap(({ values }) => values)] };
}

function indexed({ table, alias, index }: PageSource<object>): string {
  return index === undefined ? `${table} ${alias}` : `${table} ${alias} FORCE INDEX (${index})`;
}

/** Reads the records one by one, each whole in a statement of its own. Leaves out records removed meanwhile. */
async function* readEach<Row extends object>(
  sql: Sql,
  companyId: number,
  source: RecordSource<Row>,
  ids: readonly { id: number }[],
): AsyncGenerator<Row> {
  for (const { id } of ids) yield* await readRows(sql, companyId, source, id);
}

/** SUM and COUNT come as text or as a number; SUM of nothing as null. */
interface Counted {
  listed: string | number | null;
}

function totalIn(row: Counted | undefined): number {
  return Number(row?.listed ?? 0);
}
