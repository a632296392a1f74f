import type { Sql } from '../db';
import { NotFound } from '../errors';

/** Where the records of one kind are read from. */
export interface RecordSource<Row extends object> {
  /** The name of a record in a 404, and the subject of its events. */
  readonly name: string;
  readonly table: string;
  /** The alias of the record in columns, joins and conditions. */
  readonly alias: string;
  readonly columns: string;
  /** Other tables that columns come from; a record may have several rows there. */
  readonly joins?: string;
  readonly isDeletable?: boolean;
  /** Makes records of rows in which those of one record follow one another. Absent: each row is a record. */
  readonly toRecords?: (rows: object[]) => Row[];
}

/**
 * SQL: a column of what is read in one row with each of its items `t`: its value beside the first item, NULL beside the others. Long
 * texts beside each of a thousand items are tens of megabytes, and even a list with three items each is read 4 % faster without them.
 */
export const besideFirst = (column: string, name: string): string => `IF(t.position = 0, ${column}, NULL) AS ${name}`;

/**
 * Reads one record of a company.
 * @throws {NotFound} when absent, another company's, or deleted (unless `includeDeleted`).
 */
export async function readRecord<Row extends object>(
  sql: Sql,
  companyId: number,
  source: RecordSource<Row>,
  id: number,
  { includeDeleted = false } = {},
): Promise<Row> {
  const [record] = await readRows(sql, companyId, source, id);
  const isDeleted = source.isDeletable && (record as { softDelete?: 0 | 1 } | undefined)?.softDelete === 1;
  if (record === undefined || (isDeleted && !includeDeleted)) throw new NotFound(source.name);
  return record;
}

/** Reads the records of one id: one, or none. */
export async function readRows<Row extends object>(
  sql: Sql,
  companyId: number,
  { table, alias: a, columns, joins = '', toRecords = eachRow }: RecordSource<Row>,
  id: number,
): Promise<Row[]> {
  const text = `SELECT ${columns} FROM ${table} ${a} ${joins} WHERE ${a}.companyId = ? AND ${a}.id = ?`;
  return toRecords(await sql.rows(text, [companyId, id]));
}

export const eachRow = <Row extends object>(rows: object[]): Row[] => rows as Row[];
