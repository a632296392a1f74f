import {
  assigned,
  type ChangesOf,
  day,
  decided,
  decimalNumber,
  describeList,
  describeRecord,
  entityTag,
  equal,
  extended,
  flag,
  type InputOf,
  notAfter,
  notBefore,
  nullable,
  optional,
  presenter,
  type RecordKind,
  required,
  type RowOf,
  timestamp,
  value,
} from '../engine/records';
import * as schemas from '../engine/schemas';
import { byExternalId } from '../details';
import { recurrence, recurrenceFilters } from '../recurrence';
import { detailsTable, expenseDetails, type ExpenseDetailsInput } from './details';
import { enteredEvents, expenseEvents, expenseFacts, type ExpenseFacts } from './events';
import { Expense } from './Expense';
import { expenseRecurrence } from './recurrence';
import { expenseStatus, type ExpenseStatus, expenseStatuses } from './statuses';

const { currency, line, named, nameLine, recordId, responseBody, text, webAddress } = schemas;

const fields = {
  id: assigned(value(recordId)),
  companyId: assigned(value(recordId)),
  categoryId: required(value(recordId)),
  /** The caller's own number; nothing is looked up. */
  vendorId: optional(nullable(value(recordId)), null),
  vendor: required(value(nameLine(255))),
  description: optional(value(text(10_000)), ''),
  amount: required(decimalNumber({ above: '0' })),
  /** The company's where none is given. */
  currency: decided(value(currency)),
  expenseDate: required(day),
  receiptUrl: optional(nullable(value(webAddress(2048))), null),
  status: optional(value(expenseStatus), 'pending'),
  /** The series of the expense (see `SeriesState`). */
  recurring: decided(value(recurrence)),
  nextDueDate: decided(nullable(day)),
  createdAt: assigned(timestamp),
  updatedAt: assigned(timestamp),
  softDelete: assigned(flag),
};

/** The category as it is shown with an expense. A renamed one is another version of what is shown. */
interface CategoryColumns {
  categoryName: string;
  categoryUpdatedAt: string;
}

export type ExpenseRecord = RowOf<typeof fields> & CategoryColumns;
export type ExpenseInput = InputOf<typeof fields> & { details?: ExpenseDetailsInput };
export type ExpenseChanges = ChangesOf<typeof fields>;

export const expense = describeRecord('Expense', fields, {
  ignored: ['category'],
  ofNew: { details: expenseDetails.body },
});

/** Create and update: without the category. */
export const presentExpense = presenter(fields, { title: 'Expense' });
/** List and get: with the category. */
export const presentExpenseWithCategory = extended(
  presentExpense,
  'ExpenseWithCategory',
  { category: named('CategorySummary', responseBody({ id: recordId, name: line(255, 1) })) },
  ({ categoryId, categoryName }: ExpenseRecord) => ({ category: { id: categoryId, name: categoryName } }),
);

export const expenseKind: RecordKind<Expense, ExpenseRecord, ExpenseFacts> = {
  name: 'expense',
  table: 'expenses',
  alias: 'e',
  columns: `${expense.columnsOf('e')}, c.name AS categoryName, c.updatedAt AS categoryUpdatedAt`,
  joins: 'JOIN categories c ON c.companyId = e.companyId AND c.id = e.categoryId',
  isDeletable: true,
  model: Expense,
  tagOf: ({ updatedAt, categoryUpdatedAt }) => entityTag(updatedAt, categoryUpdatedAt),
  changeable: [...new Set([...expense.changeable, ...expenseRecurrence.changeable])],
  events: expenseEvents,
  facts: expenseFacts,
  counted: 'expense',
  entered: (status) => enteredEvents[status as ExpenseStatus],
};

/** A company's expenses with their categories. */
export const expenseList = describeList<typeof fields, ExpenseRecord>(expenseKind, {
  sortBy: ['expenseDate', 'amount', 'status', 'vendor', 'createdAt', 'updatedAt', 'id'],
  defaultSort: 'expenseDate',
  cursorBy: ['id', 'createdAt', 'updatedAt', 'expenseDate'],
  search: ['vendor', 'description'],
  counted: { kind: 'expense', statuses: expenseStatuses },
  filters: {
    externalId: byExternalId(detailsTable),
    category: equal('categoryId', recordId),
    startDate: notBefore('expenseDate', schemas.day),
    endDate: notAfter('expenseDate', schemas.day),
    vendorId: equal('vendorId', recordId),
    currency: equal('currency', currency),
    ...recurrenceFilters,
  },
  indexes: {
    id: 'PRIMARY',
    createdAt: 'expenses_by_created',
    updatedAt: 'expenses_by_updated',
    expenseDate: 'expenses_by_date',
  },
  statusIndexes: { expenseDate: 'expenses_by_status' },
  days: { expenses_by_date: ['startDate', 'endDate'] },
});
