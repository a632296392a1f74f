import type { UnitOfWork } from '../../database/unitOfWork';
import { nextUpdatedAt } from '../nextUpdatedAt';
import { countRecord } from '../recordCounts';
import { recordEvent } from '../recordEvent';
import { lockExpense } from './lockExpense';

/**
 * Soft-deletes: the record stays, a series ends.
 * @throws {NotFound} also when it is deleted already; {@link PreconditionFailed}.
 */
export async function deleteExpense(uow: UnitOfWork, expenseId: number, ifMatch: string | null = null): Promise<void> {
  const expense = await lockExpense(uow, expenseId, ifMatch);
  const { status } = expense;
  expense.softDelete = true;
  expense.dueAt = null;
  expense.updatedAt = nextUpdatedAt(uow.now, expense.updatedAt);
  await expense.save({ transaction: uow.transaction });
  await recordEvent(uow, 'expense.deleted', { type: 'expense', id: expenseId });
  await countRecord(uow, 'expense', { status, softDelete: false }, { status, softDelete: true });
}
