import { insertRow } from '../../database/insert';
import { toSqlTime } from '../../database/sql';
import type { UnitOfWork } from '../../database/unitOfWork';
import { formatDecimal, parseDecimal } from '../../domain/money';
import { countRecord } from '../recordCounts';
import { recordEvent } from '../recordEvent';
import { seriesAfter } from '../recurrence/seriesAfter';
import { noSeries } from '../recurrence/SeriesState';
import { companyAndCategory } from './expenseCategory';
import type { ExpenseInput } from './ExpenseInput';
import type { ExpenseRecord } from './ExpenseRecord';

/**
 * Creates an expense, in whatever status is given, and answers what was written, which is what {@link getExpense} reads.
 * @throws {ValidationFailed} for a category that is not this company's (or is deleted), and for a `nextDueDate` before
 * `expenseDate` or beyond the calendar's end.
 */
export async function createExpense(uow: UnitOfWork, input: ExpenseInput): Promise<ExpenseRecord> {
  const { companyId, now } = uow;
  const { categoryId, vendor, expenseDate, status = 'pending' } = input;
  const { currency, ...category } = await companyAndCategory(uow, categoryId);
  const series = await seriesAfter(uow, noSeries, input, { date: expenseDate, dateField: 'expenseDate' });
  const fields = {
    companyId,
    categoryId,
    vendorId: input.vendorId ?? null,
    vendor,
    description: input.description ?? '',
    amount: formatDecimal(parseDecimal(input.amount)),
    currency: input.currency ?? currency,
    expenseDate,
    receiptUrl: input.receiptUrl ?? null,
    status,
    recurring: series.recurring,
    nextDueDate: series.nextDueDate,
    createdAt: toSqlTime(now),
    updatedAt: toSqlTime(now),
  };
  const { anchorDate, recurringSince, dueAt } = series;
  const id = await insertRow(uow.sql, 'expenses', { ...fields, anchorDate, recurringSince, dueAt, softDelete: false });
  await recordEvent(uow, 'expense.created', { type: 'expense', id }, { status, amount: fields.amount });
  // Last of all: a count that is locked makes others who keep to it wait until the commit.
  await countRecord(uow, 'expense', null, { status, softDelete: false });
  return { id, ...fields, softDelete: 0, ...category };
}
