import { Type } from '@sinclair/typebox';
import { eventType } from '../kernel/events/recordEvent';
import { changedData } from '../kernel/records/changedFields';
import { expenseStatus } from './statuses';

/** What happens to expenses. */
export const expenseEvents = {
  created: eventType(
    'expense.created',
    Type.Object({
      status: expenseStatus,
      amount: Type.String(),
      /** Of an occurrence: its series, and the date that it was made for. */
      seriesId: Type.Optional(Type.Integer()),
      occurrenceDate: Type.Optional(Type.String()),
    }),
  ),
  updated: eventType('expense.updated', changedData),
  deleted: eventType('expense.deleted', Type.Object({})),
};
