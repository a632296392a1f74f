import type { Sql, SqlText, SqlValue } from '../../database/sql';
import { likePattern } from '../likePattern';
import { pageOf, type Page, type PageRequest } from '../page';
import { keptCount } from '../recordCounts';
import { expenseColumns, joinCategory, type ExpenseRecord } from './ExpenseRecord';

export const expenseSortFields = ['expenseDate', 'amount', 'status', 'vendor', 'createdAt', 'updatedAt', 'id'] as const;

export interface ExpenseFilter {
  status: string | null;
  categoryId: number | null;
  /** The first and the last day, both included. */
  startDate: string | null;
  endDate: string | null;
  /** A substring of the vendor or the description. */
  search: string | null;
  vendorId: number | null;
  currency: string | null;
  includeDeleted: boolean;
}

export type ExpenseListRequest = ExpenseFilter & PageRequest<(typeof expenseSortFields)[number]>;

/**
 * One page of a company's expenses with their categories. Ids are found on an index first; only the page's rows are read,
 * and the total in the same statement. Ties are broken by id in the same order, so that pages never overlap. The outer order
 * names columns of the page alone, so that its few ids are sorted and not the wide rows joined to them.
 */
export async function listExpenses(
  sql: Sql,
  companyId: number,
  request: ExpenseListRequest,
): Promise<Page<ExpenseRecord>> {
  const matching = conditions(companyId, request);
  const count = countOf(companyId, request, matching);
  const order = request.sortOrder === 'asc' ? 'ASC' : 'DESC';
  // Numbers that were checked are written into the text: LIMIT takes no parameters on every server.
  const rows = await sql.rows<ExpenseRecord & Listed>(
    `SELECT ${expenseColumns}, (${count.text}) AS listed
       FROM (SELECT e.id, e.${request.sortBy} AS sortKey FROM expenses e WHERE ${matching.text}
              ORDER BY e.${request.sortBy} ${order}, e.id ${order}
              LIMIT ${request.limit} OFFSET ${(request.page - 1) * request.limit}) page
       JOIN expenses e ON e.companyId = ? AND e.id = page.id ${joinCategory}
      ORDER BY page.sortKey ${order}, page.id ${order}`,
    [...count.values, ...matching.values, companyId],
  );
  // A page past the end has no row to carry the count.
  const listed = rows[0] ?? (await sql.rows<Listed>(`SELECT (${count.text}) AS listed`, count.values))[0];
  return pageOf(rows, Number(listed?.listed ?? 0), request);
}

/** SUM and COUNT come as text or as a number; SUM of nothing as null. */
interface Listed {
  listed: string | number | null;
}

function conditions(companyId: number, filter: ExpenseFilter): SqlText {
  const where = ['e.companyId = ?', filter.includeDeleted ? 'e.softDelete IN (0, 1)' : 'e.softDelete = 0'];
  const values: SqlValue[] = [companyId];
  const add = (condition: string, ...bound: SqlValue[]): void => {
    where.push(condition);
    values.push(...bound);
  };
  if (filter.status !== null) add('e.status = ?', filter.status);
  if (filter.categoryId !== null) add('e.categoryId = ?', filter.categoryId);
  if (filter.startDate !== null) add('e.expenseDate >= ?', filter.startDate);
  if (filter.endDate !== null) add('e.expenseDate <= ?', filter.endDate);
  if (filter.vendorId !== null) add('e.vendorId = ?', filter.vendorId);
  if (filter.currency !== null) add('e.currency = ?', filter.currency);
  if (filter.search !== null) {
    const pattern = likePattern(filter.search);
    add("(e.vendor LIKE ? ESCAPE '!' OR e.description LIKE ? ESCAPE '!')", pattern, pattern);
  }
  return { text: where.join(' AND '), values };
}

/** How many the whole list has: kept counts know it for the usual lists, only other filters count. */
function countOf(companyId: number, filter: ExpenseFilter, matching: SqlText): SqlText {
  const { status, includeDeleted, categoryId, startDate, endDate, search, vendorId, currency } = filter;
  const narrowed = [categoryId, startDate, endDate, search, vendorId, currency].some((value) => value !== null);
  if (!narrowed) return keptCount(companyId, 'expense', { status, includeDeleted });
  return { text: `SELECT COUNT(*) FROM expenses e WHERE ${matching.text}`, values: matching.values };
}
