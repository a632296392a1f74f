import {
  checkExpenseBody,
  createExpense,
  deleteExpense,
  expense,
  expenseKind,
  expenseList,
  presentExpense,
  presentExpenseWithCategory,
  updateExpense,
} from '../../shared/expenses';
import { recordRoutes } from '../http/recordRoutes';

export const expenseRoutes = recordRoutes({
  kind: expenseKind,
  list: expenseList,
  record: expense,
  tag: 'Expenses',
  names: { one: 'Expense', many: 'Expenses' },
  summaries: {
    create: 'Create an expense; with `recurring` other than none it is a series',
    get: 'Get an expense',
    update: 'Update an expense: only supplied fields change',
    delete: 'Soft-delete an expense; a series ends',
  },
  present: { listed: presentExpenseWithCategory, alone: presentExpenseWithCategory, changed: presentExpense },
  conflict: 'The external id is already used.',
  check: checkExpenseBody,
  create: createExpense,
  update: updateExpense,
  delete: deleteExpense,
});
