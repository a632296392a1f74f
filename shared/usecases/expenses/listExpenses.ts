import type { Sql } from '../../database/sql';
import { likePattern } from '../likePattern';
import type { LargePage, Page, PageRequest } from '../page';
import { Conditions, eachRow, readPage } from '../readPage';
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

/** One page of a company's expenses with their categories. */
export function listExpenses(
  sql: Sql,
  companyId: number,
  request: ExpenseListRequest,
): Promise<Page<ExpenseRecord> | LargePage<ExpenseRecord>> {
  const { status, includeDeleted } = request;
  const conditions = narrowed(request);
  // Kept counts know the total of the usual lists; other filters count.
  const count = conditions.texts.length === 0 ? keptCount(companyId, 'expense', { status, includeDeleted }) : null;
  conditions.deleted('e', includeDeleted).add('e.status = ?', status);
  const source = {
    table: 'expenses',
    alias: 'e',
    columns: expenseColumns,
    joins: joinCategory,
    conditions,
    count,
    toRecords: eachRow<ExpenseRecord>,
  } as const;
  return readPage(sql, companyId, source, request);
}

/** All filters but those that the kept counts know. */
function narrowed(filter: ExpenseFilter): Conditions {
  const pattern = filter.search === null ? null : likePattern(filter.search);
  return new Conditions()
    .add('e.categoryId = ?', filter.categoryId)
    .add('e.expenseDate >= ?', filter.startDate)
    .add('e.expenseDate <= ?', filter.endDate)
    .add('e.vendorId = ?', filter.vendorId)
    .add('e.currency = ?', filter.currency)
    .add("(e.vendor LIKE ? ESCAPE '!' OR e.description LIKE ? ESCAPE '!')", pattern, pattern);
}
