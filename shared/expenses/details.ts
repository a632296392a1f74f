import { commonDetails, describeDetails } from '../details';
import type { ChangesOf } from '../engine/records';

/** A PUT: what is absent stays as it is. */
export type ExpenseDetailsInput = ChangesOf<typeof commonDetails>;

export const detailsTable = { table: 'expense_details', owner: 'expenseId' };
export const expenseDetails = describeDetails('ExpenseDetails', detailsTable, commonDetails);
