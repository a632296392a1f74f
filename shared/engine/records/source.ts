import type { Sql } from '../db';
import { NotFound } from '../errors';

/** Where the records of one kind are read from. */
export interface RecordSource<Row extends object> {
  /** The name of a record in a 404, and the subject of its events. */
  readonly name: string;
  readonly table:
    | 'invoices'
    | 'expenses'
    | 'clients'
    | 'credit_notes'
    | 'categories'
    | 'api_keys'
    | 'emails'
    | 'events'
    | 'payment_links'
    | 'payments'
    | 'imports'
    | 'import_errors'
    | 'webhook_endpoints'
    | 'webhook_deliveries';
  /** The alias of the record in columns, joins and conditions. */
  readonly alias: string;
  readonly columns: string;
  /** Other tables that columns come from; a record may have several rows there. */
  readonly joins: string;
  readonly isDeletable: boolean;
  /** Makes records of rows in which those of one record follow one another. */
  readonly toRecords: (rows: object[]) => Row[];
}

/**
 * Reads one record of a company.
 * @throws {NotFound} when absent, another company's, or deleted (unless `includeDeleted`).
 */
export async function readRecord<Row extends object>(
  sql: Sql,
  companyId: number,
  { name, table, alias: a, columns, joins, isDeletable, toRecords }: RecordSource<Row>,
  id: number,
  { includeDeleted = false } = {},
): Promise<Row> {
  const rows = await sql.rows(
    `SELECT ${columns} FROM ${table} ${a} ${joins} WHERE ${a}.companyId = ? AND ${a}.id = ?`,
    [companyId, id],
  );
  const [record] = toRecords(rows);
  const isDeleted = isDeletable && (record as { softDelete?: 0 | 1 } | undefined)?.softDelete === 1;
  if (record === undefined || (isDeleted && !includeDeleted)) throw new NotFound(name);
  return record;
}

/** For sources of which each row is a record. */
export const eachRow = <Row extends object>(rows: object[]): Row[] => rows as Row[];
