import type { ChangesOf } from '../engine/records';
import { describeRecurrence, recurrenceFields, seriesIdField } from '../recurrence';

const fields = { ...recurrenceFields, seriesId: seriesIdField };

/** A PUT: absent fields keep their values. */
export type ExpenseRecurrenceChanges = ChangesOf<typeof fields>;

export const expenseRecurrence = describeRecurrence('ExpenseRecurrence', fields);
