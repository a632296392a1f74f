import {
  boolean,
  currency,
  day,
  decimal,
  invoiceStatus,
  listQuery,
  orNull,
  recordId,
  recurrence,
  requestBody,
  text,
} from '../../validation/fields';
import { invoiceTotals } from '../../../shared/domain/invoiceTotals';
import { checkDates } from '../../../shared/usecases/invoices/createInvoice';
import type { InvoiceChanges } from '../../../shared/usecases/invoices/InvoiceInput';
import { invoiceSortFields } from '../../../shared/usecases/invoices/listInvoices';
import { checkSeriesRequest } from '../../../shared/usecases/recurrence/SeriesState';

const item = requestBody(
  {
    description: { ...text(500, 20), minLength: 1 },
    quantity: decimal({ above: '0' }),
    unitPrice: decimal(),
  },
  {
    required: ['description', 'quantity', 'unitPrice'],
    ignored: ['id', 'invoiceId', 'amount', 'createdAt', 'updatedAt'],
  },
);

const fields = {
  clientId: recordId,
  invoiceNumber: { type: 'string', minLength: 1, maxLength: 50, format: 'invoice-number' },
  status: invoiceStatus,
  issueDate: day,
  dueDate: day,
  taxRate: decimal({ atLeast: '0', atMost: '100' }),
  notes: text(10_000, 500),
  currency,
  recurring: recurrence,
  nextDueDate: orNull(day),
  items: { type: 'array', minItems: 1, maxItems: 1000, items: item },
};

/** What responses show and a request cannot set. */
const ignored = [
  'id',
  'companyId',
  'subtotal',
  'tax',
  'taxAmount',
  'total',
  'gatewayInvoiceId',
  'gatewayInvoiceUrl',
  'createdAt',
  'updatedAt',
  'paidAt',
  'softDelete',
  'client',
];

export const createInvoiceBody = requestBody(fields, {
  required: ['clientId', 'issueDate', 'dueDate', 'items'],
  ignored,
});
export const updateInvoiceBody = requestBody(fields, { ignored });
export const createPaymentLinkBody = requestBody({ regenerate: boolean });
export const noBody = requestBody({});

export const listInvoicesQuery = listQuery(invoiceSortFields, 'createdAt', {
  status: { type: 'string', enum: [...(invoiceStatus.enum as string[]), 'all'], default: 'all' },
  clientId: recordId,
  currency,
  issueDateFrom: day,
  issueDateTo: day,
  dueDateFrom: day,
  dueDateTo: day,
});

/** @throws {ValidationFailed} for dates or totals that are wrong whatever invoice they are of. */
export function checkInvoiceBody({ issueDate, dueDate, taxRate, items, ...changes }: InvoiceChanges): void {
  checkSeriesRequest(changes, { date: issueDate, dateField: 'issueDate' });
  if (issueDate !== undefined && dueDate !== undefined) checkDates(issueDate, dueDate);
  if (items !== undefined) invoiceTotals({ taxRate: taxRate ?? 0, items });
}
