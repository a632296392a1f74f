import { Category, Expense } from '../../database/models';
import type { UnitOfWork } from '../../database/unitOfWork';
import { NotFound, PreconditionFailed } from '../../errors';
import { entityTag } from '../entityTag';
import { matchesETag } from '../matchesETag';

/** The expense, locked until the end of the transaction; null when absent, deleted or another company's. */
export async function findLockedExpense(uow: UnitOfWork, expenseId: number): Promise<Expense | null> {
  const { companyId, transaction } = uow;
  const where = { companyId, id: expenseId, softDelete: false };
  return Expense.findOne({ where, lock: transaction.LOCK.UPDATE, transaction });
}

/** @throws {NotFound} where {@link findLockedExpense} finds none; {@link PreconditionFailed}. */
export async function lockExpense(uow: UnitOfWork, expenseId: number, ifMatch: string | null): Promise<Expense> {
  const expense = await findLockedExpense(uow, expenseId);
  if (expense === null) throw new NotFound('expense');
  await checkExpenseVersion(uow, expense, ifMatch);
  return expense;
}

/** @throws {PreconditionFailed} when `ifMatch` (the header's value) is given and names another version. */
export async function checkExpenseVersion(uow: UnitOfWork, expense: Expense, ifMatch: string | null): Promise<void> {
  if (ifMatch === null) return;
  const { companyId, transaction } = uow;
  const where = { companyId, id: expense.categoryId };
  const category = await Category.findOne({ where, transaction, rejectOnEmpty: true });
  if (!matchesETag(ifMatch, entityTag(expense.updatedAt, category.updatedAt))) throw new PreconditionFailed();
}
