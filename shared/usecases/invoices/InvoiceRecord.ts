import type { InvoiceStatus, Recurrence } from '../../domain/statuses';

/**
 * An invoice as one statement read it: exact decimals and days as strings, moments as MySQL writes them (UTC, milliseconds;
 * `toIsoTime` makes them ISO 8601), booleans as 0 or 1. Presenters turn it into JSON.
 */
export interface InvoiceRecord {
  id: number;
  companyId: number;
  clientId: number;
  invoiceNumber: string;
  status: InvoiceStatus;
  issueDate: string;
  dueDate: string;
  subtotal: string;
  tax: string;
  taxRate: string;
  total: string;
  notes: string;
  currency: string;
  gatewayInvoiceId: string | null;
  gatewayInvoiceUrl: string | null;
  recurring: Recurrence;
  nextDueDate: string | null;
  createdAt: string;
  updatedAt: string;
  paidAt: string | null;
  softDelete: 0 | 1;
  clientName: string;
  clientEmail: string | null;
  clientUpdatedAt: string;
  items: InvoiceItemRecord[];
}

export interface InvoiceItemRecord {
  id: number;
  description: string;
  quantity: string;
  unitPrice: string;
  amount: string;
  createdAt: string;
  updatedAt: string;
}

/** A row of {@link invoiceColumns}: the invoice's columns beside those of one of its items. */
export type InvoiceRow = Omit<InvoiceRecord, 'items'> & {
  itemId: number;
  description: string;
  quantity: string;
  unitPrice: string;
  amount: string;
  itemCreatedAt: string;
  itemUpdatedAt: string;
};

/**
 * Invoice (i), client (c) and item (t) in one statement: one round trip, and totals that always belong to the items beside
 * them whatever is written meanwhile. The long notes are sent with the first item only.
 */
export const invoiceColumns = `i.id, i.companyId, i.clientId, i.invoiceNumber, i.status, i.issueDate, i.dueDate,
  i.subtotal, i.tax, i.taxRate, i.total, IF(t.position = 0, i.notes, '') AS notes, i.currency, i.gatewayInvoiceId,
  i.gatewayInvoiceUrl, i.recurring, i.nextDueDate, i.createdAt, i.updatedAt, i.paidAt, i.softDelete,
  c.name AS clientName, c.email AS clientEmail, c.updatedAt AS clientUpdatedAt,
  t.id AS itemId, t.description, t.quantity, t.unitPrice, t.amount, t.createdAt AS itemCreatedAt,
  t.updatedAt AS itemUpdatedAt`;

export const joinClientAndItems = `JOIN clients c ON c.companyId = i.companyId AND c.id = i.clientId
  JOIN invoice_items t ON t.companyId = i.companyId AND t.invoiceId = i.id`;

/** Folds rows that are ordered by invoice and item position. */
export function foldInvoices(rows: readonly InvoiceRow[]): InvoiceRecord[] {
  const invoices: InvoiceRecord[] = [];
  let current: InvoiceRecord | undefined;
  for (const row of rows) {
    if (current?.id !== row.id) invoices.push((current = { ...row, items: [] }));
    current.items.push({
      id: row.itemId,
      description: row.description,
      quantity: row.quantity,
      unitPrice: row.unitPrice,
      amount: row.amount,
      createdAt: row.itemCreatedAt,
      updatedAt: row.itemUpdatedAt,
    });
  }
  return invoices;
}
