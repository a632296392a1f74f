import { type ChangesOf, flag, optional } from '../engine/records';
import { describeRecurrence, recurrenceFields, seriesIdField } from '../recurrence';

const fields = {
  ...recurrenceFields,
  /** An occurrence is e-mailed on its day. */
  autoSend: optional(flag, 0),
  seriesId: seriesIdField,
};

/** A PUT: absent fields keep their values. */
export type InvoiceRecurrenceChanges = ChangesOf<typeof fields>;

export const invoiceRecurrence = describeRecurrence('InvoiceRecurrence', fields);
