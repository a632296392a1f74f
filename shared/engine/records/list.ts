import type { SchemaObject } from 'ajv';
import { readDate } from '../../dates/dates';
import type { Sql, SqlText, SqlValue } from '../db';
import { includeDeleted as includeDeletedParameter, line, pageQuery } from '../schemas';
import type { Fields } from './fields';
import { likePattern } from './likePattern';
import type { LargePage, Page, PageRequest } from './page';
import { Conditions, readPage } from './readPage';
import { keptCount, type CountedKind } from './recordCounts';
import type { RecordSource } from './source';

/** One parameter of a list's query, and the condition that its value makes. */
export interface Filter {
  readonly schema: SchemaObject;
  condition(value: SqlValue, alias: string): SqlText;
}

/** The checked query of a list: its page, `search`, `includeDeleted` and its filters. */
export type ListQuery = PageRequest<string> & Readonly<Record<string, SqlValue | boolean | undefined>>;

export interface ListOptions<F extends Fields> {
  readonly sortBy: readonly (keyof F & string)[];
  readonly defaultSort: keyof F & string;
  /** The columns of which `search` is a substring, or what it is a substring of and the condition that it makes. */
  readonly search:
    | readonly (keyof F & string)[]
    | { readonly of: string; readonly matches: (pattern: string, companyId: number) => SqlText };
  readonly filters?: Readonly<Record<string, Filter>>;
  /** For records whose totals are kept: by which name, and for which statuses. */
  readonly counted?: { readonly kind: CountedKind; readonly statuses: readonly string[] };
}

/** A list of records: the schema of its query, and how it is read. */
export interface RecordList<Row extends object> {
  readonly query: SchemaObject;
  /** What `search` is a substring of, for people. */
  readonly searches: string;
  read(sql: Sql, companyId: number, query: ListQuery): Promise<Page<Row> | LargePage<Row>>;
}

/** Records whose field is the value of the parameter. */
export function equal(field: string, schema: SchemaObject): Filter {
  return compare(field, '=', schema);
}

/** Records whose day is not before the value of the parameter. */
export function notBefore(field: string, schema: SchemaObject): Filter {
  return compare(field, '>=', schema);
}

/** Records whose day is not after the value of the parameter. */
export function notAfter(field: string, schema: SchemaObject): Filter {
  return compare(field, '<=', schema);
}

function compare(field: string, operator: '=' | '>=' | '<=', schema: SchemaObject): Filter {
  // Either of the accepted forms of a day.
  const bound = (value: SqlValue): SqlValue => (schema.format === 'day' ? readDate(String(value)) : value);
  return {
    schema,
    condition: (value, alias) => ({ text: `${alias}.${field} ${operator} ?`, values: [bound(value)] }),
  };
}

/** MySQL's OFFSET and JavaScript's integers end before this; a page beyond is empty like any past the end. */
const LAST_PAGE = Math.floor(Number.MAX_SAFE_INTEGER / 100);

/** The checked page parameters of a query; a `limit` above 100 counts as 100. */
export function pageRequest<S extends string>({ page, limit, sortBy, sortOrder }: PageRequest<S>): PageRequest<S> {
  return { page: Math.min(page, LAST_PAGE), limit: Math.min(limit, 100), sortBy, sortOrder };
}

/** Describes a company's list of records. Kept totals are used as long as no filter but the status is asked for. */
export function describeList<F extends Fields, Row extends object>(
  source: RecordSource<Row>,
  { sortBy, defaultSort, search, filters = {}, counted }: ListOptions<F>,
): RecordList<Row> {
  const { alias, isDeletable } = source;
  const schemas = Object.fromEntries(Object.entries(filters).map(([name, { schema }]) => [name, schema]));
  const matches = 'matches' in search ? search.matches : containing(search, alias);
  return {
    searches: 'matches' in search ? search.of : search.map((field) => `\`${field}\``).join(' or '),
    query: pageQuery(sortBy, defaultSort, {
      ...(isDeletable ? includeDeletedParameter : {}),
      search: line(255),
      ...(counted && { status: { type: 'string', enum: [...counted.statuses, 'all'], default: 'all' } }),
      ...schemas,
    }),
    read(sql, companyId, query) {
      const conditions = new Conditions();
      for (const [name, filter] of Object.entries(filters)) {
        const value = query[name] as SqlValue | undefined;
        if (value !== undefined) conditions.and(filter.condition(value, alias));
      }
      if (typeof query.search === 'string') conditions.and(matches(likePattern(query.search), companyId));
      const includeDeleted = query.includeDeleted === true;
      const status = counted === undefined || query.status === 'all' ? null : (query.status as string);
      const count =
        counted !== undefined && conditions.isEmpty
          ? keptCount(companyId, counted.kind, { status, includeDeleted })
          : null;
      if (isDeletable) conditions.deleted(alias, includeDeleted);
      if (status !== null) conditions.and({ text: `${alias}.status = ?`, values: [status] });
      return readPage(sql, companyId, { ...source, conditions, count }, pageRequest(query));
    },
  };
}

function containing(fields: readonly string[], alias: string): (pattern: string) => SqlText {
  const text = fields.map((field) => `${alias}.${field} LIKE ? ESCAPE '!'`).join(' OR ');
  return (pattern) => ({ text: `(${text})`, values: fields.map(() => pattern) });
}
