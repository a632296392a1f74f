import { insertRow, toSqlTime, type UnitOfWork } from '../engine/db';
import { happened, recordAll } from '../engine/events';
import { addToCounts, changeRecord, deleteRecord } from '../engine/records';
import { checkSeriesRequest, noSeries, seriesAfter } from '../recurrence';
import { insertDetails } from '../details';
import { expenseDetails } from './details';
import { enteredEvents, expenseEvents, expenseFacts } from './events';
import { isCurrent, readBasis, staleBasis, takeBasis } from './expenseBasis';
import type { ExpenseRecurrenceChanges } from './recurrence';
import { expense, expenseKind, type ExpenseChanges, type ExpenseInput, type ExpenseRecord } from './record';

const dateField = 'expenseDate';

/** @throws {ValidationFailed} for dates that are wrong whatever expense they are of. */
export function checkExpenseBody({ expenseDate: date, ...changes }: ExpenseChanges): void {
  checkSeriesRequest(changes, { date, dateField });
}

/**
 * Creates an expense, in whatever status is given, and returns what was written, which is what GET reads.
 * @throws {ValidationFailed} for a category that is not this company's (or is deleted), and for a `nextDueDate` before
 * `expenseDate` or beyond the calendar's end; {@link Conflict} `external_id_taken`.
 */
export async function createExpense(uow: UnitOfWork, input: ExpenseInput): Promise<ExpenseRecord> {
  const { companyId } = uow;
  const { categoryId, expenseDate } = input;
  const columns = expense.newColumns(input);
  const { status } = columns;
  const now = toSqlTime(uow.now);
  const basis = await takeBasis(uow, categoryId);
  const { currency, categoryName, categoryUpdatedAt } = basis;
  const series = await seriesAfter(uow, noSeries, input, { date: expenseDate, dateField });
  const written = { companyId, currency, ...columns, createdAt: now, updatedAt: now, softDelete: 0 };
  const id = await insertRow(uow.sql, 'expenses', { ...written, ...series });
  if (input.details !== undefined) await insertDetails(uow, expenseDetails, id, input.details);
  const { recurring, nextDueDate } = series;
  const record = { id, ...written, recurring, nextDueDate, categoryName, categoryUpdatedAt } as ExpenseRecord;
  const facts = expenseFacts(record);
  const entered = enteredEvents[status];
  recordAll(uow, [
    happened(expenseEvents.created, id, facts),
    ...(entered === null ? [] : [happened(entered, id, { ...facts, from: null })]),
  ]);
  // Last of all: a locked count makes other creates of the company wait until the commit.
  const counted = await addToCounts(
    uow,
    'expense',
    [{ status, softDelete: false, by: 1 }],
    isCurrent(uow, categoryId, basis),
  );
  if (!counted) throw staleBasis(uow, categoryId);
  return record;
}

/**
 * Changes what is given, of the expense and of its recurrence. `updatedAt` grows also when nothing else changed.
 * @throws {ValidationFailed} for a new category that is not this company's; {@link NotFound}; {@link PreconditionFailed};
 * {@link ValidationFailed} for dates in the wrong order in what results, and for options of what is no series; in this order.
 */
export function updateExpense(
  uow: UnitOfWork,
  expenseId: number,
  changes: ExpenseChanges & ExpenseRecurrenceChanges,
  ifMatch: string | null = null,
): Promise<ExpenseRecord> {
  return changeRecord(uow, expenseKind, expenseId, {
    ifMatch,
    // A category that it does not have yet has to be one that it may have.
    async references(found) {
      const { categoryId } = changes;
      if (categoryId !== undefined && categoryId !== found?.categoryId) await readBasis(uow, categoryId);
    },
    async apply(found) {
      const before = found.get({ plain: true });
      found.set(expense.toColumns(changes));
      found.set(await seriesAfter(uow, before, changes, { date: found.expenseDate, dateField }));
    },
  });
}

/**
 * Soft-deletes: the record stays, a series ends.
 * @throws {NotFound} also when it is deleted already; {@link PreconditionFailed}.
 */
export function deleteExpense(uow: UnitOfWork, expenseId: number, ifMatch: string | null = null): Promise<void> {
  return deleteRecord(uow, expenseKind, expenseId, ifMatch, (found) => void (found.dueAt = null));
}
