import { insertRow } from '../../database/insert';
import { toSqlTime } from '../../database/sql';
import type { UnitOfWork } from '../../database/unitOfWork';
import { formatDecimal, parseDecimal } from '../../domain/money';
import { addToCount } from '../recordCounts';
import { recordEvent } from '../recordEvent';
import { seriesAfter } from '../recurrence/seriesAfter';
import { noSeries } from '../recurrence/SeriesState';
import { outdatedBasis, recallBasis, unchanged } from './expenseBasis';
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
  const basis = await recallBasis(uow, categoryId);
  const subject = { date: expenseDate, dateField: 'expenseDate' } as const;
  const { recurring, nextDueDate, ...hidden } = await seriesAfter(uow, noSeries, input, subject);
  const fields = {
    companyId,
    categoryId,
    vendorId: input.vendorId ?? null,
    vendor,
    description: input.description ?? '',
    amount: formatDecimal(parseDecimal(input.amount)),
    currency: input.currency ?? basis.currency,
    expenseDate,
    receiptUrl: input.receiptUrl ?? null,
    status,
    recurring,
    nextDueDate,
    createdAt: toSqlTime(now),
    updatedAt: toSqlTime(now),
  };
  const id = await insertRow(uow.sql, 'expenses', { ...fields, ...hidden, softDelete: false });
  await recordEvent(uow, 'expense.created', { type: 'expense', id }, { status, amount: fields.amount });
  // Last of all: a count that is locked makes others who keep to it wait until the commit.
  const provided = unchanged(uow, categoryId, basis);
  const isCounted = await addToCount(uow, 'expense', { status, softDelete: false }, 1, provided);
  if (!isCounted) throw outdatedBasis(uow, categoryId);
  const { categoryName, categoryUpdatedAt } = basis;
  return { id, ...fields, softDelete: 0, categoryName, categoryUpdatedAt };
}
