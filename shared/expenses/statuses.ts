import { oneOf } from '../engine/schemas';

export const expenseStatuses = ['pending', 'approved', 'rejected'] as const;
export type ExpenseStatus = (typeof expenseStatuses)[number];

/** The schema of a status. */
export const expenseStatus = oneOf('ExpenseStatus', expenseStatuses);
