import { Type } from '@sinclair/typebox';
import { eventType } from '../kernel/events/recordEvent';
import { changedData } from '../kernel/records/changedFields';
import { enteredData } from '../kernel/records/changeRecord';
import { invoiceStatus } from './statuses';

/** What happens to invoices; their e-mails, links and payments have events of their own features. */
export const invoiceEvents = {
  created: eventType(
    'invoice.created',
    Type.Object({
      status: invoiceStatus,
      total: Type.String(),
      /** Of an occurrence: its series, and the date that it was made for. */
      seriesId: Type.Optional(Type.Integer()),
      occurrenceDate: Type.Optional(Type.String()),
    }),
  ),
  updated: eventType('invoice.updated', changedData),
  deleted: eventType('invoice.deleted', Type.Object({})),
  sent: eventType('invoice.sent', enteredData),
  paid: eventType('invoice.paid', enteredData),
  overdue: eventType('invoice.overdue', enteredData),
  cancelled: eventType('invoice.cancelled', enteredData),
};
