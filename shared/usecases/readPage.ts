import type { Sql, SqlValue } from '../database/sql';
import { pageOf, type Page, type PageRequest } from './page';

/** A table of one company's records, aliased `c`, and which of them are asked for. */
export interface PageSource {
  table: 'clients' | 'categories' | 'api_keys';
  columns: string;
  /** Beside the company's. */
  conditions: readonly string[];
  values: readonly SqlValue[];
}

/**
 * One page of a company's records. Ids are found and counted on an index; only the page's rows are read. Ties are broken by id
 * in the same order, so that pages never overlap.
 */
export async function readPage<Row extends object>(
  sql: Sql,
  companyId: number,
  { table, columns, conditions, values }: PageSource,
  request: PageRequest<string>,
): Promise<Page<Row>> {
  const where = ['c.companyId = ?', ...conditions].join(' AND ');
  const direction = request.sortOrder === 'asc' ? 'ASC' : 'DESC';
  const order = `c.${request.sortBy} ${direction}, c.id ${direction}`;
  const bound = [companyId, ...values];
  // Numbers that were checked are written into the text: LIMIT takes no parameters on every server.
  const data = await sql.rows<Row>(
    `SELECT ${columns}
       FROM (SELECT c.id FROM ${table} c WHERE ${where} ORDER BY ${order}
              LIMIT ${request.limit} OFFSET ${(request.page - 1) * request.limit}) page
       JOIN ${table} c ON c.companyId = ? AND c.id = page.id ORDER BY ${order}`,
    [...bound, companyId],
  );
  const [row] = await sql.rows<{ total: number }>(`SELECT COUNT(*) AS total FROM ${table} c WHERE ${where}`, bound);
  return pageOf(data, row?.total ?? 0, request);
}
