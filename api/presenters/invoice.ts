import type { SchemaObject } from 'ajv';
import { toMidnightUtc } from '../../shared/domain/dates';
import { toIsoTime } from '../../shared/database/sql';
import type { InvoiceItemRecord, InvoiceRecord } from '../../shared/usecases/invoices/InvoiceRecord';
import {
  boolean,
  currency,
  day,
  decimalText,
  invoiceStatus,
  listOf,
  moment,
  orNull,
  recordId,
  recurrence,
  responseBody,
  text,
} from '../validation/fields';

/** List: days as `YYYY-MM-DD`, items with their timestamps. */
export function presentInvoiceInList(invoice: InvoiceRecord): object {
  return present(invoice, (date) => date, presentItemInList);
}

/** Create, get, update: days as timestamps at midnight UTC, items without timestamps. */
export function presentInvoice(invoice: InvoiceRecord): object {
  return present(invoice, toMidnightUtc, presentItem);
}

function present(
  invoice: InvoiceRecord,
  date: (day: string) => string,
  presentOne: (invoiceId: number, item: InvoiceItemRecord) => object,
): object {
  return {
    id: invoice.id,
    companyId: invoice.companyId,
    clientId: invoice.clientId,
    invoiceNumber: invoice.invoiceNumber,
    status: invoice.status,
    issueDate: date(invoice.issueDate),
    dueDate: date(invoice.dueDate),
    subtotal: invoice.subtotal,
    tax: invoice.tax,
    taxRate: invoice.taxRate,
    total: invoice.total,
    notes: invoice.notes,
    currency: invoice.currency,
    gatewayInvoiceId: invoice.gatewayInvoiceId,
    gatewayInvoiceUrl: invoice.gatewayInvoiceUrl,
    recurring: invoice.recurring,
    nextDueDate: invoice.nextDueDate,
    createdAt: toIsoTime(invoice.createdAt),
    updatedAt: toIsoTime(invoice.updatedAt),
    paidAt: invoice.paidAt === null ? null : toIsoTime(invoice.paidAt),
    softDelete: invoice.softDelete === 1,
    client: { id: invoice.clientId, name: invoice.clientName, email: invoice.clientEmail },
    items: invoice.items.map((item) => presentOne(invoice.id, item)),
  };
}

function presentItem(invoiceId: number, { id, description, quantity, unitPrice, amount }: InvoiceItemRecord): object {
  return { id, invoiceId, description, quantity, unitPrice, amount };
}

/** Written out: spreading objects into objects was half the work of presenting a page. */
function presentItemInList(invoiceId: number, item: InvoiceItemRecord): object {
  const { id, description, quantity, unitPrice, amount, createdAt, updatedAt } = item;
  return {
    id,
    invoiceId,
    description,
    quantity,
    unitPrice,
    amount,
    createdAt: toIsoTime(createdAt),
    updatedAt: toIsoTime(updatedAt),
  };
}

/** The body of create-gateway-invoice, which has its own field list: `taxAmount`, and neither client nor items. */
export function presentPaymentLink(invoice: InvoiceRecord): object {
  return {
    message: 'Payment link created successfully',
    gatewayInvoiceUrl: invoice.gatewayInvoiceUrl,
    invoice: {
      id: invoice.id,
      companyId: invoice.companyId,
      clientId: invoice.clientId,
      invoiceNumber: invoice.invoiceNumber,
      status: invoice.status,
      issueDate: toMidnightUtc(invoice.issueDate),
      dueDate: toMidnightUtc(invoice.dueDate),
      total: invoice.total,
      subtotal: invoice.subtotal,
      taxAmount: invoice.tax,
      currency: invoice.currency,
      notes: invoice.notes,
      gatewayInvoiceId: invoice.gatewayInvoiceId,
      gatewayInvoiceUrl: invoice.gatewayInvoiceUrl,
      createdAt: toIsoTime(invoice.createdAt),
      updatedAt: toIsoTime(invoice.updatedAt),
      softDelete: invoice.softDelete === 1,
    },
  };
}

const nullableText: SchemaObject = { type: ['string', 'null'] };
const item: Record<string, SchemaObject> = {
  id: recordId,
  invoiceId: recordId,
  description: text(500),
  quantity: decimalText,
  unitPrice: decimalText,
  amount: decimalText,
};

function invoiceSchema(date: SchemaObject, itemFields: Record<string, SchemaObject>): SchemaObject {
  return responseBody({
    id: recordId,
    companyId: recordId,
    clientId: recordId,
    invoiceNumber: { type: 'string' },
    status: invoiceStatus,
    issueDate: date,
    dueDate: date,
    subtotal: decimalText,
    tax: decimalText,
    taxRate: decimalText,
    total: decimalText,
    notes: text(10_000),
    currency,
    gatewayInvoiceId: nullableText,
    gatewayInvoiceUrl: nullableText,
    recurring: recurrence,
    nextDueDate: orNull(day),
    createdAt: moment,
    updatedAt: moment,
    paidAt: orNull(moment),
    softDelete: boolean,
    client: responseBody({ id: recordId, name: { type: 'string' }, email: nullableText }),
    items: { type: 'array', items: responseBody(itemFields) },
  });
}

export const invoiceInListSchema = listOf(invoiceSchema(day, { ...item, createdAt: moment, updatedAt: moment }));
export const invoiceResponseSchema = invoiceSchema(moment, item);
export const paymentLinkSchema = responseBody({
  message: { type: 'string' },
  gatewayInvoiceUrl: { type: 'string', format: 'uri' },
  invoice: responseBody({
    id: recordId,
    companyId: recordId,
    clientId: recordId,
    invoiceNumber: { type: 'string' },
    status: invoiceStatus,
    issueDate: moment,
    dueDate: moment,
    total: decimalText,
    subtotal: decimalText,
    taxAmount: decimalText,
    currency,
    notes: text(10_000),
    gatewayInvoiceId: { type: 'string' },
    gatewayInvoiceUrl: { type: 'string', format: 'uri' },
    createdAt: moment,
    updatedAt: moment,
    softDelete: boolean,
  }),
});
