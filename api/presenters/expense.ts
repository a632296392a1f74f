import type { SchemaObject } from 'ajv';
import { toIsoTime } from '../../shared/database/sql';
import type { ExpenseRecord } from '../../shared/usecases/expenses/ExpenseRecord';
import {
  boolean,
  currency,
  day,
  expenseStatus,
  line,
  moment,
  orNull,
  recordId,
  recurrence,
  responseBody,
  text,
} from '../validation/fields';

/** Create and update: without the category. */
export function presentExpense(expense: ExpenseRecord): object {
  return {
    id: expense.id,
    companyId: expense.companyId,
    categoryId: expense.categoryId,
    vendorId: expense.vendorId,
    vendor: expense.vendor,
    description: expense.description,
    // Exact: every amount in bounds has at most 15 digits, which a JSON number keeps.
    amount: Number(expense.amount),
    currency: expense.currency,
    expenseDate: expense.expenseDate,
    receiptUrl: expense.receiptUrl,
    status: expense.status,
    recurring: expense.recurring,
    nextDueDate: expense.nextDueDate,
    createdAt: toIsoTime(expense.createdAt),
    updatedAt: toIsoTime(expense.updatedAt),
    softDelete: expense.softDelete === 1,
  };
}

/** List and get: with the category. */
export function presentExpenseWithCategory(expense: ExpenseRecord): object {
  return Object.assign(presentExpense(expense), { category: { id: expense.categoryId, name: expense.categoryName } });
}

const fields: Record<string, SchemaObject> = {
  id: recordId,
  companyId: recordId,
  categoryId: recordId,
  vendorId: orNull(recordId),
  vendor: line(255, 1),
  description: text(10_000),
  amount: { type: 'number', example: 19.99 },
  currency,
  expenseDate: day,
  receiptUrl: orNull(text(2048)),
  status: expenseStatus,
  recurring: recurrence,
  nextDueDate: orNull(day),
  createdAt: moment,
  updatedAt: moment,
  softDelete: boolean,
};

export const expenseSchema = responseBody(fields);
export const expenseWithCategorySchema = responseBody({
  ...fields,
  category: responseBody({ id: recordId, name: line(255, 1) }),
});
