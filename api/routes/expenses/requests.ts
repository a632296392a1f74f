import type { ExpenseChanges } from '../../../shared/usecases/expenses/ExpenseInput';
import { expenseSortFields } from '../../../shared/usecases/expenses/listExpenses';
import { checkSeriesRequest } from '../../../shared/usecases/recurrence/SeriesState';
import {
  currency,
  day,
  decimalNumber,
  expenseStatus,
  listQuery,
  nameLine,
  orNull,
  recordId,
  recurrence,
  requestBody,
  text,
  webAddress,
} from '../../validation/fields';

const fields = {
  categoryId: recordId,
  vendorId: orNull(recordId),
  vendor: nameLine(255),
  description: text(10_000),
  amount: decimalNumber({ above: '0' }),
  currency,
  expenseDate: day,
  receiptUrl: orNull(webAddress(2048)),
  status: expenseStatus,
  recurring: recurrence,
  nextDueDate: orNull(day),
};

/** What responses show and a request cannot set. */
const ignored = ['id', 'companyId', 'category', 'createdAt', 'updatedAt', 'softDelete'];

export const createExpenseBody = requestBody(fields, {
  required: ['categoryId', 'vendor', 'amount', 'expenseDate'],
  ignored,
});
export const updateExpenseBody = requestBody(fields, { ignored });

export const listExpensesQuery = listQuery(expenseSortFields, 'expenseDate', {
  status: { type: 'string', enum: [...(expenseStatus.enum as string[]), 'all'], default: 'all' },
  category: recordId,
  startDate: day,
  endDate: day,
  vendorId: recordId,
  currency,
});

/** @throws {ValidationFailed} for dates that are wrong whatever expense they are of. */
export function checkExpenseBody({ expenseDate: date, ...changes }: ExpenseChanges): void {
  checkSeriesRequest(changes, { date, dateField: 'expenseDate' });
}
