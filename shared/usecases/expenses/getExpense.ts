import type { Sql } from '../../database/sql';
import { NotFound } from '../../errors';
import { expenseColumns, joinCategory, type ExpenseRecord } from './ExpenseRecord';

const byId = `SELECT ${expenseColumns} FROM expenses e ${joinCategory} WHERE e.companyId = ? AND e.id = ?`;

/** @throws {NotFound} when absent, another company's, or deleted (unless `includeDeleted`). */
export async function getExpense(
  sql: Sql,
  companyId: number,
  expenseId: number,
  { includeDeleted = false } = {},
): Promise<ExpenseRecord> {
  const [expense] = await sql.rows<ExpenseRecord>(byId, [companyId, expenseId]);
  if (expense === undefined || (expense.softDelete === 1 && !includeDeleted)) throw new NotFound('expense');
  return expense;
}
