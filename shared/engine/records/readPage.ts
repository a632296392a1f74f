import type { Sql, SqlText, SqlValue } from '../db';
import type { RecordSource } from './source';
import { largePageOf, pageOf, WHOLE_PAGE_BYTES, type LargePage, type Page, type PageRequest } from './page';

/** What one statement may hold of a page beside its bytes. */
const WHOLE_PAGE_ROWS = 2_000;

/** Which records of a source are asked for. */
export interface PageSource<Row extends object> extends RecordSource<Row> {
  /** Beside the company's. */
  conditions: Conditions;
  /** The index of page and total, where the server would choose another one. */
  index?: string;
  /** How many the whole list has, where that is known without counting it. */
  count: SqlText | null;
}

/** Conditions that all have to hold, with the values that they bind. */
export class Conditions {
  readonly texts: string[] = [];
  readonly values: SqlValue[] = [];

  get isEmpty(): boolean {
    return this.texts.length === 0;
  }

  and({ text, values }: SqlText): void {
    this.texts.push(text);
    this.values.push(...values);
  }

  /** Leaves deleted records out. An index that leads on `softDelete` serves both ways. */
  deleted(alias: string, included: boolean): void {
    this.texts.push(included ? `${alias}.softDelete IN (0, 1)` : `${alias}.softDelete = 0`);
  }
}

/**
 * Reads one page of a company's records and the total, in one statement. Ids are found on an index first; only the page's
 * rows are read. Ties are broken by id in the same order, so that pages never overlap. The outer order names columns of the
 * page alone, so that its few ids are sorted and not the wide rows joined to them.
 *
 * A page that is larger than one statement may hold is read again as its ids and total, and then record by record.
 */
export async function readPage<Row extends object>(
  sql: Sql,
  companyId: number,
  source: PageSource<Row>,
  request: PageRequest<string>,
): Promise<Page<Row> | LargePage<Row>> {
  const { table, alias: a, columns, joins, conditions, index, count, toRecords } = source;
  const indexed = index === undefined ? `${table} ${a}` : `${table} ${a} FORCE INDEX (${index})`;
  const { page, limit, sortBy, sortOrder } = request;
  const where = [`${a}.companyId = ?`, ...conditions.texts].join(' AND ');
  const values = [companyId, ...conditions.values];
  const total = count ?? { text: `SELECT COUNT(*) FROM ${indexed} WHERE ${where}`, values };
  const order = sortOrder === 'asc' ? 'ASC' : 'DESC';
  // Numbers that were checked are written into the text: LIMIT takes no parameters on every server.
  const ids = `(SELECT ${a}.id, ${a}.${sortBy} AS sortKey FROM ${indexed} WHERE ${where}
    ORDER BY ${a}.${sortBy} ${order}, ${a}.id ${order} LIMIT ${limit} OFFSET ${(page - 1) * limit}) page`;
  const inOrder = `ORDER BY page.sortKey ${order}, page.id ${order}`;
  const rows = await sql.rowsWithin<Listed>(
    WHOLE_PAGE_BYTES,
    `SELECT ${columns}, (${total.text}) AS listed
       FROM ${ids} JOIN ${table} ${a} ON ${a}.companyId = ? AND ${a}.id = page.id ${joins}
      ${inOrder} LIMIT ${WHOLE_PAGE_ROWS}`,
    [...total.values, ...values, companyId],
  );
  if (rows === null || rows.length === WHOLE_PAGE_ROWS) {
    const listed = await sql.rows<{ id: number } & Listed>(
      `SELECT page.id, (${total.text}) AS listed FROM ${ids} ${inOrder}`,
      [...total.values, ...values],
    );
    return largePageOf(readEach(sql, companyId, source, listed), totalIn(listed[0]), request);
  }
  // A page past the end has no row to carry the total.
  const carrier = rows[0] ?? (await sql.rows<Listed>(`SELECT (${total.text}) AS listed`, total.values))[0];
  return pageOf(toRecords(rows), totalIn(carrier), request);
}

/** Reads the records one by one, each whole in a statement of its own. One that is gone by then is left out. */
async function* readEach<Row extends object>(
  sql: Sql,
  companyId: number,
  { table, alias: a, columns, joins, toRecords }: RecordSource<Row>,
  ids: readonly { id: number }[],
): AsyncGenerator<Row> {
  const byId = `SELECT ${columns} FROM ${table} ${a} ${joins} WHERE ${a}.companyId = ? AND ${a}.id = ?`;
  for (const { id } of ids) yield* toRecords(await sql.rows(byId, [companyId, id]));
}

/** SUM and COUNT come as text or as a number; SUM of nothing as null. */
interface Listed {
  listed: string | number | null;
}

function totalIn(row: Listed | undefined): number {
  return Number(row?.listed ?? 0);
}
