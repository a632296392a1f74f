import { oneOf } from '../engine/schemas';

export const invoiceStatuses = ['draft', 'sent', 'paid', 'overdue', 'cancelled'] as const;
export type InvoiceStatus = (typeof invoiceStatuses)[number];

/** The schema of a status. */
export const invoiceStatus = oneOf('InvoiceStatus', invoiceStatuses);
