import { insertRow, toSqlTime, type UnitOfWork } from '../engine/db';
import { recordEvent } from '../engine/events';
import { addToCounts, changeRecord, deleteRecord, groupBy } from '../engine/records';
import { checkSeriesRequest, noSeries, seriesAfter, type SeriesState } from '../recurrence';
import { insertDetails } from '../details';
import { expenseDetails } from './details';
import { enteredEvents, expenseEvents, expenseFacts } from './events';
import { type ExpenseBasis, isCurrent, readBasis, staleBasis, takeBasis } from './expenseBasis';
import type { ExpenseRecurrenceChanges } from './recurrence';
import { expense, expenseKind, type ExpenseChanges, type ExpenseInput, type ExpenseRecord } from './record';

const dateField = 'expenseDate';

/** @throws {ValidationFailed} for dates that are wrong for every expense. */
export function checkExpenseBody({ expenseDate: date, ...changes }: ExpenseChanges): void {
  checkSeriesRequest(changes, { date, dateField });
}

/**
 * Creates an expense in the given status, and returns it as GET would.
 * @throws as {@link createExpenses} does.
 */
export async function createExpense(uow: UnitOfWork, input: ExpenseInput): Promise<ExpenseRecord> {
  const [record] = await createExpenses(uow, [input]);
  return record as ExpenseRecord;
}

/**
 * Creates expenses with one statement each and few more, and returns them in their order.
 * @throws {ValidationFailed} for a category that is not this company's (or is deleted), and for a `nextDueDate` before `expenseDate` or
 * beyond the calendar's end; {@link Conflict} `external_id_taken`.
 */
export async function createExpenses(uow: UnitOfWork, inputs: readonly ExpenseInput[]): Promise<ExpenseRecord[]> {
  const { companyId } = uow;
  const now = toSqlTime(uow.now);
  const bases = new Map<number, ExpenseBasis>();
  const rows: NewExpense[] = [];
  for (const input of inputs) {
    const { categoryId, expenseDate } = input;
    const basis = bases.get(categoryId) ?? (await takeBasis(uow, categoryId));
    bases.set(categoryId, basis);
    const series = await seriesAfter(uow, noSeries, input, { date: expenseDate, dateField });
    const written = {
      companyId,
      currency: basis.currency,
      ...expense.newColumns(input),
      createdAt: now,
      updatedAt: now,
    };
    rows.push({ ...written, softDelete: 0, ...series });
  }
  const records: ExpenseRecord[] = [];
  // One by one: not every server promises that the ids of one statement follow one another.
  for (const { anchorDate, recurringSince, dueAt, ...row } of rows) {
    const id = await insertRow(uow.sql, 'expenses', { ...row, anchorDate, recurringSince, dueAt });
    const { categoryName, categoryUpdatedAt } = bases.get(row.categoryId) as ExpenseBasis;
    records.push({ id, ...row, categoryName, categoryUpdatedAt });
  }
  const details = inputs.map(({ details: given }, at) => ({ id: (records[at] as ExpenseRecord).id, given }));
  await insertDetails(uow, expenseDetails, details);
  for (const record of records) recordCreated(uow, record);
  // Last of all: a locked count makes other creates of the company wait until the commit.
  for (const [categoryId, of] of groupBy(records, (record) => record.categoryId)) {
    const counts = [...groupBy(of, ({ status }) => status)].map(([status, { length: by }]) => ({
      status,
      softDelete: false,
      by,
    }));
    const basis = bases.get(categoryId) as ExpenseBasis;
    if (!(await addToCounts(uow, 'expense', counts, isCurrent(uow, categoryId, basis))))
      throw staleBasis(uow, categoryId);
  }
  return records;
}

type NewExpense = Omit<ExpenseRecord, 'id' | 'categoryName' | 'categoryUpdatedAt'> & SeriesState;

/** Records that the expense was created, and which status it has entered. */
function recordCreated(uow: UnitOfWork, record: ExpenseRecord): void {
  const facts = expenseFacts(record);
  const entered = enteredEvents[record.status];
  recordEvent(uow, expenseEvents.created, record.id, facts);
  if (entered !== null) recordEvent(uow, entered, record.id, { ...facts, from: null });
}

/**
 * Changes the given fields of the expense and of its recurrence. `updatedAt` grows also when nothing else changed.
 * @throws {ValidationFailed} for a new category that is not this company's; {@link NotFound}; {@link PreconditionFailed}; {@link
 * ValidationFailed} for resulting dates in the wrong order, and for options of a record that is no series; in this order.
 */
export function updateExpense(
  uow: UnitOfWork,
  expenseId: number,
  changes: ExpenseChanges & ExpenseRecurrenceChanges,
  ifMatch: string | null = null,
): Promise<ExpenseRecord> {
  return changeRecord(uow, expenseKind, expenseId, {
    ifMatch,
    // Only a new category is checked.
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
 * Soft-deletes an expense. A series ends.
 * @throws {NotFound} also when it is deleted already; {@link PreconditionFailed}.
 */
export function deleteExpense(uow: UnitOfWork, expenseId: number, ifMatch: string | null = null): Promise<void> {
  return deleteRecord(uow, expenseKind, expenseId, ifMatch, (found) => void (found.dueAt = null));
}
