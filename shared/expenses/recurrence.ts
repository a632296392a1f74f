import type { ChangesOf } from '../engine/records';
import { describeRecurrence, recurrenceFields, seriesIdField } from '../recurrence';

const fields = { ...recurrenceFields, seriesId: seriesIdField };

/** A PUT: what is absent stays as it is. */
export type ExpenseRecurrenceChanges = ChangesOf<typeof fields>;

export const expenseRecurrence = describeRecurrence('ExpenseRecurrence', fields);
