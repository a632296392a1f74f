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
  examples: {
    list: { status: 'pending', limit: 5 },
    create: {
      categoryId: 1,
      vendor: 'Awan Hosting',
      description: 'Servers, one month',
      amount: 39.9,
      currency: 'EUR',
      expenseDate: '2027-01-31',
      recurring: 'monthly',
    },
    get: 2,
    update: [3, { status: 'approved' }],
    delete: 5,
  },
  check: checkExpenseBody,
  create: createExpense,
  update: updateExpense,
  delete: deleteExpense,
});
