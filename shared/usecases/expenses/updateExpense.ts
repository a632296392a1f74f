import type { Expense } from '../../database/models';
import type { UnitOfWork } from '../../database/unitOfWork';
import { formatDecimal, parseDecimal } from '../../domain/money';
import { NotFound } from '../../errors';
import { nextUpdatedAt } from '../nextUpdatedAt';
import { countRecord } from '../recordCounts';
import { changedFields, recordEvent } from '../recordEvent';
import { seriesAfter } from '../recurrence/seriesAfter';
import { readBasis } from './expenseBasis';
import type { ExpenseChanges } from './ExpenseInput';
import type { ExpenseRecord } from './ExpenseRecord';
import { getExpense } from './getExpense';
import { checkExpenseVersion, findLockedExpense } from './lockExpense';

/**
 * Changes what is given. `updatedAt` grows also when nothing else changed.
 * @throws {ValidationFailed} for a new category that is not this company's; {@link NotFound}; {@link PreconditionFailed};
 * {@link ValidationFailed} for dates in the wrong order in what results; in this order.
 */
export async function updateExpense(
  uow: UnitOfWork,
  expenseId: number,
  changes: ExpenseChanges,
  ifMatch: string | null = null,
): Promise<ExpenseRecord> {
  const expense = await findLockedExpense(uow, expenseId);
  // A category that it does not have yet has to be one that it may have.
  if (changes.categoryId !== undefined && changes.categoryId !== expense?.categoryId) {
    await readBasis(uow, changes.categoryId);
  }
  if (expense === null) throw new NotFound('expense');
  await checkExpenseVersion(uow, expense, ifMatch);

  const before = plain(expense);
  assign(expense, changes);
  const subject = { date: expense.expenseDate, dateField: 'expenseDate' } as const;
  Object.assign(expense, await seriesAfter(uow, expense, changes, subject));
  expense.updatedAt = nextUpdatedAt(uow.now, expense.updatedAt);
  await expense.save({ transaction: uow.transaction });
  const after = plain(expense);
  await recordEvent(
    uow,
    'expense.updated',
    { type: 'expense', id: expenseId },
    { changed: changedFields(before, after) },
  );
  await countRecord(uow, 'expense', before, after);
  return getExpense(uow.sql, uow.companyId, expenseId);
}

function assign(expense: Expense, { amount, ...changes }: ExpenseChanges): void {
  const { categoryId, vendorId, vendor, description, currency, expenseDate, receiptUrl, status } = changes;
  if (categoryId !== undefined) expense.categoryId = categoryId;
  if (vendorId !== undefined) expense.vendorId = vendorId;
  if (vendor !== undefined) expense.vendor = vendor;
  if (description !== undefined) expense.description = description;
  if (amount !== undefined) expense.amount = formatDecimal(parseDecimal(amount));
  if (currency !== undefined) expense.currency = currency;
  if (expenseDate !== undefined) expense.expenseDate = expenseDate;
  if (receiptUrl !== undefined) expense.receiptUrl = receiptUrl;
  if (status !== undefined) expense.status = status;
}

/** What an event tells of the expense: all but what follows from the rest. */
function plain(expense: Expense): Omit<Expense, 'dueAt' | 'updatedAt'> {
  const { dueAt: _dueAt, updatedAt: _updatedAt, ...fields } = expense.get({ plain: true }) as Expense;
  return fields as Omit<Expense, 'dueAt' | 'updatedAt'>;
}
