import { dayIn } from '../dates/dates';
import type { SqlValue } from '../engine/db';
import { currency, decimalText, line, recordId } from '../engine/schemas';
import { expenseStatuses, type ExpenseStatus } from '../expenses';
import { companyTimezone } from '../invoices';
import { countColumn } from './columns';
import { periodColumn, periodOf } from './periods';
import { pastDays, rangeOf, type RangeQuery, yearUntil } from './range';
import { describeRows, readRows, type Report } from './Report';

interface ExpensesQuery extends RangeQuery {
  by: keyof typeof groups;
  status: ExpenseStatus | 'all';
}

const categoryColumns = {
  categoryId: recordId,
  category: { ...line(255), description: 'The name that the category has now.' },
};

/** The ways to group expenses: the columns of a row, their SQL, and the SQL to group and to sort by. */
const groups = {
  category: {
    columns: categoryColumns,
    select: 'e.categoryId, g.name AS category',
    by: 'e.categoryId, g.name',
    order: 'g.name, e.categoryId',
  },
  // Compared exactly, so that two spellings of a name are two rows.
  vendor: {
    columns: { vendor: line(255) },
    select: 'e.vendor COLLATE utf8mb4_bin AS vendor',
    by: 'e.vendor COLLATE utf8mb4_bin',
    order: 'e.vendor COLLATE utf8mb4_bin',
  },
  month: {
    columns: { period: periodColumn },
    select: `${periodOf('month', 'e.expenseDate')} AS period`,
    by: 'period',
    order: 'period',
  },
} as const;

/** The report of expenses. */
export const expenses: Report<ExpensesQuery> = {
  name: 'expenses',
  summary: 'Report what was spent, by category, vendor or month',
  query: {
    ...pastDays,
    by: { type: 'string', enum: Object.keys(groups), default: 'category', description: 'How the sums are grouped.' },
    status: { type: 'string', enum: [...expenseStatuses, 'all'], default: 'all' },
  },
  rows: describeRows(
    'ExpensesRow',
    { category: groups.category.columns, vendor: groups.vendor.columns, month: groups.month.columns },
    { sum: decimalText, count: countColumn('Expenses.') },
    ({ by }) => by,
    currency,
  ),
  async read(reader, { by, status, ...days }) {
    const { sql, companyId, now } = reader;
    const { from, to } = rangeOf(days, yearUntil(dayIn(await companyTimezone(sql, companyId), now)));
    const isOfStatus = status !== 'all';
    const values: SqlValue[] = [companyId, ...(isOfStatus ? [status] : []), from, to];
    const group = groups[by];
    return readRows(
      reader,
      `SELECT e.currency, ${group.select}, SUM(e.amount) AS sum, COUNT(*) AS count
        FROM expenses e FORCE INDEX (${isOfStatus ? 'expenses_by_status' : 'expenses_by_date'})
        ${by === 'category' ? 'STRAIGHT_JOIN categories g ON g.companyId = e.companyId AND g.id = e.categoryId' : ''}
        WHERE e.companyId = ? AND e.softDelete = 0 ${isOfStatus ? 'AND e.status = ?' : ''} AND e.expenseDate BETWEEN ? AND ?
        GROUP BY e.currency, ${group.by} ORDER BY e.currency, ${group.order}`,
      values,
    );
  },
};
