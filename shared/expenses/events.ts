import { Type } from '@sinclair/typebox';
import { eventType } from '../engine/events';
import { changedField, changeSummary, enteredFields, statusSummary } from '../engine/records';
import { createdSummary } from '../recurrence';
import { currency, day, decimalText, line, recordId, type StaticOf } from '../engine/schemas';
import { expenseStatus, type ExpenseStatus } from './statuses';

const facts = { vendor: line(255), status: expenseStatus, amount: decimalText, currency };

export type ExpenseFacts = StaticOf<typeof facts>;

/** Returns what each event of an expense says of it. */
export function expenseFacts({ vendor, status, amount, currency }: ExpenseFacts): ExpenseFacts {
  return { vendor, status, amount, currency };
}

const entered = Type.Object({ ...facts, ...enteredFields });

/** The events of expenses. */
export const expenseEvents = {
  created: eventType(
    'expense.created',
    Type.Object({
      ...facts,
      seriesId: Type.Optional({ ...recordId, description: 'Of an occurrence: its series.' }),
      occurrenceDate: Type.Optional({ ...day, description: 'Of an occurrence: the day that it was made for.' }),
    }),
    {
      meaning: 'An expense was created, by a request or as the occurrence of a series.',
      summary: (data) => createdSummary(data),
    },
  ),
  updated: eventType('expense.updated', Type.Object({ ...facts, ...changedField }), {
    meaning: 'An expense was changed by a request.',
    summary: changeSummary,
  }),
  approved: eventType('expense.approved', entered, {
    meaning: 'An expense became `approved`.',
    summary: statusSummary('approved'),
  }),
  rejected: eventType('expense.rejected', entered, {
    meaning: 'An expense became `rejected`.',
    summary: statusSummary('rejected'),
  }),
  deleted: eventType('expense.deleted', Type.Object(facts), { meaning: 'An expense was deleted.' }),
};

/** The events of entered statuses; `expense.updated` alone says that one is pending again. */
export const enteredEvents: Readonly<
  Record<ExpenseStatus, (typeof expenseEvents)[Exclude<ExpenseStatus, 'pending'>] | null>
> = { pending: null, approved: expenseEvents.approved, rejected: expenseEvents.rejected };
