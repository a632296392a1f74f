import type { Sql, SqlText, SqlValue } from '../database/sql';
import type { PageRequest } from './page';

/** Where a list's records come from, and which of them are asked for. */
export interface PageSource {
  table: 'invoices' | 'expenses' | 'clients' | 'categories' | 'api_keys';
  /** What columns, joins and conditions call a record. */
  alias: string;
  columns: string;
  /** Other tables that columns come from; a record may have several rows there. */
  joins?: string;
  /** Beside the company's. */
  conditions: Conditions;
  /** How many the whole list has, where that is known without counting it. */
  count?: SqlText | null;
}

/** Conditions that all have to hold, with the values that they bind. */
export class Conditions {
  readonly texts: string[] = [];
  readonly values: SqlValue[] = [];

  /** Adds one with what its placeholders bind, unless that is null: then the filter is not asked for. */
  add(text: string, ...values: SqlValue[]): this {
    if (values.includes(null)) return this;
    this.texts.push(text);
    this.values.push(...values);
    return this;
  }

  /** Leaves deleted records out. An index that leads on `softDelete` serves both ways. */
  deleted(alias: string, included: boolean): this {
    this.texts.push(included ? `${alias}.softDelete IN (0, 1)` : `${alias}.softDelete = 0`);
    return this;
  }
}

/**
 * The rows of one page of a company's records and the total, in one statement. Ids are found on an index first; only the page's
 * rows are read. Ties are broken by id in the same order, so that pages never overlap. The outer order names columns of the
 * page alone, so that its few ids are sorted and not the wide rows joined to them.
 */
export async function readPage<Row extends object>(
  sql: Sql,
  companyId: number,
  { table, alias: a, columns, joins = '', conditions, count }: PageSource,
  { page, limit, sortBy, sortOrder }: PageRequest<string>,
): Promise<{ rows: Row[]; total: number }> {
  const where = [`${a}.companyId = ?`, ...conditions.texts].join(' AND ');
  const values = [companyId, ...conditions.values];
  const total = count ?? { text: `SELECT COUNT(*) FROM ${table} ${a} WHERE ${where}`, values };
  const order = sortOrder === 'asc' ? 'ASC' : 'DESC';
  // Numbers that were checked are written into the text: LIMIT takes no parameters on every server.
  const rows = await sql.rows<Row & Listed>(
    `SELECT ${columns}, (${total.text}) AS listed
       FROM (SELECT ${a}.id, ${a}.${sortBy} AS sortKey FROM ${table} ${a} WHERE ${where}
              ORDER BY ${a}.${sortBy} ${order}, ${a}.id ${order} LIMIT ${limit} OFFSET ${(page - 1) * limit}) page
       JOIN ${table} ${a} ON ${a}.companyId = ? AND ${a}.id = page.id ${joins}
      ORDER BY page.sortKey ${order}, page.id ${order}`,
    [...total.values, ...values, companyId],
  );
  // A page past the end has no row to carry the total.
  const carried = rows[0] ?? (await sql.rows<Listed>(`SELECT (${total.text}) AS listed`, total.values))[0];
  return { rows, total: Number(carried?.listed ?? 0) };
}

/** SUM and COUNT come as text or as a number; SUM of nothing as null. */
interface Listed {
  listed: string | number | null;
}
