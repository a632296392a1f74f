/** Expenses, also recurring ones. */
export { checkExpenseBody, createExpense, createExpenses, deleteExpense, updateExpense } from './changeExpenses';
export { expenseDetails } from './details';
export {
  expense,
  type ExpenseInput,
  expenseKind,
  expenseList,
  presentExpense,
  presentExpenseWithCategory,
} from './record';
export { expenseRecurrence, type ExpenseRecurrenceChanges } from './recurrence';
export { recurringExpenses } from './recurringExpenses';
export { expenseStatus, expenseStatuses, type ExpenseStatus } from './statuses';
