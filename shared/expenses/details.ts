import { commonDetails, describeDetails } from '../details';
import type { ChangesOf } from '../engine/records';

/** A PUT: absent fields keep their values. */
export type ExpenseDetailsInput = ChangesOf<typeof commonDetails>;

export const detailsTable = { table: 'expense_details', owner: 'expenseId' };
export const expenseDetails = describeDetails('ExpenseDetails', detailsTable, commonDetails);
