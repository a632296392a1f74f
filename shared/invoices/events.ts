import { Type } from '@sinclair/typebox';
import { eventType } from '../engine/events';
import { changedField, changeSummary, enteredFields, statusSummary } from '../engine/records';
import { invoiceReference, referenceOf } from '../details';
import { createdSummary } from '../recurrence';
import { currency, day, decimalText, line, recordId, type StaticOf } from '../engine/schemas';
import { invoiceStatus } from './statuses';

const facts = { invoiceNumber: line(50), status: invoiceStatus, total: decimalText, currency, ...invoiceReference };

export type InvoiceFacts = StaticOf<typeof facts>;

/** Returns what each event of an invoice says of it. */
export function invoiceFacts(invoice: InvoiceFacts): InvoiceFacts {
  const { invoiceNumber, status, total, currency } = invoice;
  return { invoiceNumber, status, total, currency, ...referenceOf(invoice) };
}

const asOf = { ...day, description: 'The day that began, unless a request said so.' };
const entered = Type.Object({ ...facts, ...enteredFields });

/** The events of invoices. E-mails, links and payments have events of their own features. */
export const invoiceEvents = {
  created: eventType(
    'invoice.created',
    Type.Object({
      ...facts,
      seriesId: Type.Optional({ ...recordId, description: 'Of an occurrence: its series.' }),
      occurrenceDate: Type.Optional({ ...day, description: 'Of an occurrence: the day that it was made for.' }),
    }),
    {
      meaning: 'An invoice was created, by a request or as the occurrence of a series.',
      summary: (data) => createdSummary({ ...data, amount: data.total }),
    },
  ),
  updated: eventType('invoice.updated', Type.Object({ ...facts, ...changedField }), {
    meaning: 'An invoice was changed by a request.',
    summary: changeSummary,
  }),
  deleted: eventType('invoice.deleted', Type.Object(facts), { meaning: 'An invoice was deleted.' }),
  sent: eventType('invoice.sent', entered, {
    meaning: 'An invoice became `sent`: by a request, an e-mail or a payment link.',
    summary: statusSummary('sent'),
  }),
  paid: eventType('invoice.paid', entered, {
    meaning: 'An invoice became `paid`: its payments cover the total, or a request said so.',
    summary: statusSummary('paid'),
  }),
  overdue: eventType('invoice.overdue', Type.Object({ ...facts, ...enteredFields, asOf: Type.Optional(asOf) }), {
    meaning: 'An invoice became `overdue`: a day began after its due date, or a request said so.',
    summary: statusSummary('overdue'),
  }),
  cancelled: eventType('invoice.cancelled', entered, {
    meaning: 'An invoice became `cancelled`.',
    summary: statusSummary('cancelled'),
  }),
};
