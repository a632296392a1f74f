import type { SchemaObject } from 'ajv';
import { limitedSql, type Sql, type SqlValue } from '../engine/db';
import { BadRequest } from '../engine/errors';
import { named, responseBody } from '../engine/schemas';

/** The most seconds that the statements of a report take. */
const REPORT_S = 10;

/** The reader of a report: its statements ({@link reportSql}), the company, the time of the request, and how a long computation lets other requests run. */
export interface Reader {
  readonly sql: Sql;
  readonly companyId: number;
  readonly now: Date;
  readonly breathe: () => Promise<void>;
}

/** The JSON of a report. */
export interface ReportBody {
  readonly data: readonly object[];
}

/** Describes one report: its query, its rows and how they are read. */
export interface Report<Query = unknown> {
  /** The last part of its path, and of the name of its CSV file. */
  readonly name: string;
  readonly summary: string;
  readonly query: Readonly<Record<string, SchemaObject>>;
  readonly rows: Rows<Query>;
  /** Further fields of its JSON, next to `data`. */
  readonly beside?: Readonly<Record<string, SchemaObject>>;
  /** @throws {ValidationFailed}; {@link BadRequest} `report_too_large`, `report_too_slow`. */
  readonly read: (reader: Reader, query: Query) => Promise<ReportBody>;
}

/** The columns of a report's rows. */
export interface Rows<Query> {
  readonly schema: SchemaObject;
  /** Returns the names of the columns that the rows of a query have. */
  columns(query: Query): string[];
}

/**
 * Describes rows of `currency`, their key columns and their sums.
 * @param keys the key columns of each grouping; a row has only those of its query
 */
export function describeRows<Query, By extends string>(
  title: string,
  keys: Readonly<Record<By, Readonly<Record<string, SchemaObject>>>>,
  sums: Readonly<Record<string, SchemaObject>>,
  groupedBy: (query: Query) => By,
  currency: SchemaObject,
): Rows<Query> {
  const groups = Object.values<Readonly<Record<string, SchemaObject>>>(keys);
  const schema = responseBody({
    currency,
    ...Object.fromEntries(groups.flatMap((group) => Object.entries(group))),
    ...sums,
  });
  const isInEach = (name: string): boolean =>
    name in sums || name === 'currency' || groups.every((group) => name in group);
  const required = Object.keys(schema.properties as object).filter(isInEach);
  return {
    schema: named(title, { ...schema, required }),
    columns: (query) => ['currency', ...Object.keys(keys[groupedBy(query)]), ...Object.keys(sums)],
  };
}

/** Rows of one report. */
export const MAX_ROWS = 5_000;

/** The error for a report that is too large. */
export const tooLarge = (problem: string): BadRequest => new BadRequest('report_too_large', problem);

/** @throws {BadRequest} `report_too_large` for more rows than a report has. */
export function checkRows(count: number): void {
  if (count > MAX_ROWS)
    throw tooLarge(
      `the report has more than ${MAX_ROWS.toLocaleString('en')} rows: ask for fewer days or larger groups`,
    );
}

/** Returns the same reads, which throw {@link BadRequest} `report_too_slow` when together they take too long. */
export function reportSql(sql: Sql): Sql {
  const late = `the report takes more than ${REPORT_S} seconds: ask for fewer days, or for larger groups`;
  return limitedSql(sql, REPORT_S, () => new BadRequest('report_too_slow', late));
}

/** Reads the rows of a report with its statement. @throws {BadRequest} `report_too_large`. */
export async function readRows({ sql }: Reader, statement: string, values: readonly SqlValue[]): Promise<ReportBody> {
  const data = await sql.rows(`${statement} LIMIT ${MAX_ROWS + 1}`, values);
  checkRows(data.length);
  return { data };
}
