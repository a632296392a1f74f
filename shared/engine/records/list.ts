import type { SchemaObject } from 'ajv';
import { addDays, LAST_DAY, readDate } from '../../dates/dates';
import { limitedSql, padded, placeholders, type Sql, type SqlText, type SqlValue } from '../db';
import { BadRequest, ValidationFailed } from '../errors';
import { includeDeleted as includeDeletedParameter, line, pageQuery } from '../schemas';
import { cursorOf, MAX_CURSOR, positionOf } from './cursor';
import type { Fields } from './fields';
import { likePattern } from './likePattern';
import { type AnyPage, LargePage, type PageRequest } from './page';
import { type PageSource, readAfter, readAll, readPage } from './readPage';
import { keptCount, type CountedKind } from './recordCounts';
import type { RecordSource } from './source';

/** One parameter of a list's query, and the condition that its value makes. */
export interface Filter {
  readonly schema: SchemaObject;
  condition(value: SqlValue, alias: string): SqlText;
}

/** The checked query of a list: its page, `search`, `includeDeleted` and its filters. */
export type ListQuery = CursorRequest & Readonly<Record<string, SqlValue | boolean | undefined>>;

/** A page that is requested by its number or by a cursor. */
export type CursorRequest<S extends string = string> = PageRequest<S> & { readonly cursor?: string };

export interface ListOptions<F extends Fields> {
  readonly sortBy: readonly (keyof F & string)[];
  readonly defaultSort: keyof F & string;
  /** The sortings that a cursor and CSV can have: never null, and each served by an index. */
  readonly cursorBy?: readonly (keyof F & string)[];
  /** The columns that are searched for the substring `search`, or another way to search. */
  readonly search: readonly (keyof F & string)[] | Search;
  readonly filters?: Readonly<Record<string, Filter>>;
  /**
   * The indexes that sort the whole list, and the list of a status: named, because a server that counts on old statistics may take
   * another one.
   */
  readonly indexes?: Readonly<Record<string, string>>;
  readonly statusIndexes?: Readonly<Record<string, string>>;
  /** The indexes of days, each with the filters of its first and last day. */
  readonly days?: Readonly<Record<string, readonly [from: string, to: string]>>;
  /** For records with kept totals: their name, and the statuses if the records have one. */
  readonly counted?: { readonly kind: CountedKind; readonly statuses?: readonly string[] };
}

/** The columns that are searched for a substring. */
interface Search {
  readonly of: string;
  /** Returns the condition of a search. */
  readonly matches: (pattern: string, companyId: number) => SqlText;
  /** Finds the ids of all that match by indexes, or null where there are more than `most`. */
  readonly find: (sql: Sql, companyId: number, text: string, most: number) => Promise<readonly number[] | null>;
}

/** Records that a search finds by indexes. Where there are more, the list is read in its order: some of them are soon found. */
const MOST_FOUND = 500;

/** A list of records: the schema of its query, and how it is read. */
export interface RecordList<Row extends object> {
  readonly query: SchemaObject;
  /** The searched fields in words, for the documentation. */
  readonly searches: string;
  read(sql: Sql, companyId: number, query: ListQuery): Promise<AnyPage<Row>>;
  /** Reads every match in batches that fit into memory, each in a statement of its own. Absent: the list has no `cursorBy`. */
  readonly batches?: (sql: Sql, companyId: number, query: ListQuery) => AsyncIterable<Row[]>;
}

const comparing =
  (operator: '=' | '>=' | '<=') =>
  (field: string, schema: SchemaObject): Filter => {
    // Either of the accepted forms of a day.
    const bound = (value: SqlValue): SqlValue => (schema.format === 'day' ? readDate(String(value)) : value);
    return {
      schema,
      condition: (value, alias) => ({ text: `${alias}.${field} ${operator} ?`, values: [bound(value)] }),
    };
  };

/** Records whose field is the value of the parameter. */
export const equal = comparing('=');
/** Records whose day is not before the value of the parameter. */
export const notBefore = comparing('>=');
/** Records whose day is not after the value of the parameter. */
export const notAfter = comparing('<=');

/** MySQL's OFFSET and JavaScript's integers end before this; a page beyond is empty like any past the end. */
const LAST_PAGE = Math.floor(Number.MAX_SAFE_INTEGER / 100);

/** The checked page parameters of a query; a `limit` above 100 counts as 100. */
export function pageRequest<S extends string>(request: PageRequest<S>): PageRequest<S> & { page: number } {
  const { page = 1, limit, sortBy, sortOrder } = request;
  return { page: Math.min(page, LAST_PAGE), limit: Math.min(limit, 100), sortBy, sortOrder };
}

/**
 * Reads a page by its cursor where the request has one, else by its number.
 * @param list names the list, for its cursors
 * @throws {ValidationFailed} for a cursor of another list or sorting, another sorting than those in `cursorBy`, and a `page` beside it.
 */
export async function readAnyPage<Row extends object>(
  sql: Sql,
  companyId: number,
  source: PageSource<Row>,
  request: CursorRequest,
  { list, cursorBy }: { list: string; cursorBy: readonly string[] },
): Promise<AnyPage<Row>> {
  if (request.cursor === undefined) return readPage(sql, companyId, source, pageRequest(request));
  checkSorting(request, cursorBy, 'a cursor');
  if (request.page !== undefined) throw ValidationFailed.at('page', 'cannot be beside cursor');
  const { limit, sortBy, sortOrder } = pageRequest(request);
  const named = `${companyId}/${list}`;
  const after = positionOf(request.cursor, named, { sortBy, sortOrder });
  const { records, total, next } = await readAfter(sql, companyId, source, { after, limit, sortBy, sortOrder });
  const envelope = { limit, total, nextCursor: next && cursorOf(named, { sortBy, sortOrder }, next) };
  return Array.isArray(records) ? { data: records, ...envelope } : new LargePage(records, envelope);
}

/**
 * Reads every record of a source in batches.
 * @throws {ValidationFailed} for another sorting than those in `cursorBy`, and for `page` or `cursor`.
 */
export async function* readBatches<Row extends object>(
  sql: Sql,
  companyId: number,
  source: PageSource<Row>,
  { page, cursor, sortBy, sortOrder }: CursorRequest,
  cursorBy: readonly string[],
): AsyncGenerator<Row[]> {
  checkSorting({ sortBy }, cursorBy, 'CSV');
  if (page !== undefined && page > 1) throw ValidationFailed.at('page', 'is not for CSV, which has all pages');
  if (cursor !== undefined) throw ValidationFailed.at('cursor', 'is not for CSV, which has all pages');
  yield* readAll(sql, companyId, source, { sortBy, sortOrder });
}

function checkSorting({ sortBy }: Pick<CursorRequest, 'sortBy'>, cursorBy: readonly string[], what: string): void {
  if (!cursorBy.includes(sortBy)) throw ValidationFailed.at('sortBy', `of ${what} is one of ${cursorBy.join(', ')}`);
}

/** The query parameter of a list that has cursors. */
export const cursorParameter = {
  cursor: {
    type: 'string',
    maxLength: MAX_CURSOR,
    description: 'Empty to begin, then the `nextCursor` of the page before, with the same parameters otherwise.',
  },
};

/** Describes a company's list of records. Kept totals are used unless the request filters by more than the status. */
export function describeList<F extends Fields, Row extends object>(
  source: RecordSource<Row>,
  {
    sortBy,
    defaultSort,
    cursorBy,
    search,
    filters = {},
    indexes = {},
    statusIndexes = {},
    days = {},
    counted,
  }: ListOptions<F>,
): RecordList<Row> {
  const { alias, isDeletable, table } = source;
  const statuses = counted?.statuses;
  const schemas = Object.fromEntries(Object.entries(filters).map(([name, { schema }]) => [name, schema]));
  const found = 'matches' in search ? finding(search, alias) : containing(search, alias);
  const matching = async (sql: Sql, companyId: number, query: ListQuery): Promise<PageSource<Row>> => {
    const conditions: SqlText[] = [];
    for (const [name, filter] of Object.entries(filters)) {
      const value = query[name] as SqlValue | undefined;
      if (value !== undefined) conditions.push(filter.condition(value, alias));
    }
    const [ofDays] = Object.keys(days).filter((name) => isNarrow((days[name] ?? []).map((end) => query[end])));
    const searched = typeof query.search === 'string' ? await found(sql, companyId, query.search) : null;
    if (searched !== null) conditions.push(searched.condition);
    const includeDeleted = query.includeDeleted === true;
    const status = statuses === undefined || query.status === 'all' ? null : (query.status as string);
    const count =
      counted !== undefined && conditions.length === 0
        ? keptCount(companyId, counted.kind, { status, includeDeleted })
        : undefined;
    const sorting = conditions.length === 0 ? (status === null ? indexes : statusIndexes)[query.sortBy] : undefined;
    // A status and days may have an index of both.
    const index = searched?.index ?? (status === null ? ofDays : undefined) ?? sorting;
    if (status !== null) conditions.push({ text: `${alias}.status = ?`, values: [status] });
    return {
      ...source,
      conditions,
      count,
      ...(isDeletable && { includeDeleted }),
      ...(index !== undefined && { index }),
    };
  };
  return {
    searches: 'matches' in search ? search.of : search.map((field) => `\`${field}\``).join(' or '),
    query: pageQuery(sortBy, defaultSort, {
      ...(cursorBy && cursorParameter),
      ...(isDeletable ? includeDeletedParameter : {}),
      search: line(255),
      ...(statuses && { status: { type: 'string', enum: [...statuses, 'all'], default: 'all' } }),
      ...schemas,
    }),
    async read(anySql, companyId, query) {
      const sql = sqlFor(anySql, query);
      const from = await matching(sql, companyId, query);
      return readAnyPage(sql, companyId, from, query, { list: table, cursorBy: cursorBy ?? [] });
    },
    ...(cursorBy && {
      async *batches(sql, companyId, query) {
        yield* readBatches(sql, companyId, await matching(sql, companyId, query), query, cursorBy);
      },
    }),
  };
}

/** The most seconds that a search takes: a text of repeated letters is compared with long ones letter by letter. */
const SEARCH_S = 4;

/** @throws {BadRequest} `search_too_slow`, by the statements of a search. */
function sqlFor(sql: Sql, { search }: ListQuery): Sql {
  if (search === undefined) return sql;
  const late = `the search takes more than ${SEARCH_S} seconds: search for another text, or in fewer records with a filter`;
  return limitedSql(sql, SEARCH_S, () => new BadRequest('search_too_slow', late));
}

/** Days of a range whose records are read along the index of the day, and sorted; longer ones along the order of the list. */
const NARROW_DAYS = 31;

function isNarrow(ends: readonly (SqlValue | boolean | undefined)[]): boolean {
  const [from = null, to = null] = ends.map((end) => (typeof end === 'string' ? readDate(end) : null));
  return from !== null && to !== null && to < (addDays(from, NARROW_DAYS) ?? LAST_DAY);
}

/** The condition that a search text makes, and the index of the records that it finds. */
type Searched = (sql: Sql, companyId: number, text: string) => Promise<{ condition: SqlText; index?: string }>;

function containing(fields: readonly string[], alias: string): Searched {
  const text = `(${fields.map((field) => `${alias}.${field} LIKE ? ESCAPE '!'`).join(' OR ')})`;
  return (_sql, _companyId, searched) =>
    Promise.resolve({ condition: { text, values: fields.map(() => likePattern(searched)) } });
}

/** Few records are read by their ids; where there are many, each record of the list is compared. */
function finding({ find, matches }: Search, alias: string): Searched {
  return async (sql, companyId, searched) => {
    const ids = await find(sql, companyId, searched, MOST_FOUND);
    if (ids === null) return { condition: matches(likePattern(searched), companyId) };
    // No record has the id 0.
    const values = ids.length === 0 ? [0] : padded(ids);
    return { condition: { text: `${alias}.id IN (${placeholders(values.length)})`, values }, index: 'PRIMARY' };
  };
}
