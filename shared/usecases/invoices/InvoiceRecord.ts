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

/** A row of {@link invoiceColumns}: an item, and beside the invoice's first item the invoice, beside others its id alone. */
export type InvoiceRow = Omit<InvoiceRecord, 'items'> & {
  position: number;
  itemId: number;
  description: string;
  quantity: string;
  unitPrice: string;
  amount: string;
  itemCreatedAt: string;
  itemUpdatedAt: string;
};

/** A NULL costs neither the server nor the driver anything, where the same value again and again is a third of the read. */
const onFirstItem = (column: string, name: string): string => `IF(t.position = 0, ${column}, NULL) AS ${name}`;

const shownOnce = [
  ...[
    'companyId',
    'clientId',
    'invoiceNumber',
    'status',
    'issueDate',
    'dueDate',
    'subtotal',
    'tax',
    'taxRate',
    'total',
  ],
  ...[
    'notes',
    'currency',
    'gatewayInvoiceId',
    'gatewayInvoiceUrl',
    'recurring',
    'nextDueDate',
    'createdAt',
    'updatedAt',
  ],
  ...['paidAt', 'softDelete'],
].map((name) => onFirstItem(`i.${name}`, name));

/**
 * Invoice (i), client (c) and item (t) in one statement: one round trip, and totals that always belong to the items beside
 * them whatever is written meanwhile.
 */
export const invoiceColumns = `i.id, ${shownOnce.join(', ')}, ${onFirstItem('c.name', 'clientName')},
  ${onFirstItem('c.email', 'clientEmail')}, ${onFirstItem('c.updatedAt', 'clientUpdatedAt')},
  t.position, t.id AS itemId, t.description, t.quantity, t.unitPrice, t.amount, t.createdAt AS itemCreatedAt,
  t.updatedAt AS itemUpdatedAt`;

export const joinClientAndItems = `JOIN clients c ON c.companyId = i.companyId AND c.id = i.clientId
  JOIN invoice_items t ON t.companyId = i.companyId AND t.invoiceId = i.id`;

/** Folds rows in which those of an invoice follow one another; the order of its items is made here. */
export function foldInvoices(rows: readonly InvoiceRow[]): InvoiceRecord[] {
  const groups: InvoiceRow[][] = [];
  let group: InvoiceRow[] = [];
  for (const row of rows) {
    if (group[0]?.id === row.id) group.push(row);
    else groups.push((group = [row]));
  }
  return groups.map((of) => toInvoice(of.sort((a, b) => a.position - b.position)));
}

/** Written out: copying a row's thirty columns with a spread costs more than reading them from the driver. */
function toInvoice(rows: readonly InvoiceRow[]): InvoiceRecord {
  const [row] = rows as readonly [InvoiceRow];
  return {
    id: row.id,
    companyId: row.companyId,
    clientId: row.clientId,
    invoiceNumber: row.invoiceNumber,
    status: row.status,
    issueDate: row.issueDate,
    dueDate: row.dueDate,
    subtotal: row.subtotal,
    tax: row.tax,
    taxRate: row.taxRate,
    total: row.total,
    notes: row.notes,
    currency: row.currency,
    gatewayInvoiceId: row.gatewayInvoiceId,
    gatewayInvoiceUrl: row.gatewayInvoiceUrl,
    recurring: row.recurring,
    nextDueDate: row.nextDueDate,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    paidAt: row.paidAt,
    softDelete: row.softDelete,
    clientName: row.clientName,
    clientEmail: row.clientEmail,
    clientUpdatedAt: row.clientUpdatedAt,
    items: rows.map(toItem),
  };
}

function toItem(row: InvoiceRow): InvoiceItemRecord {
  return {
    id: row.itemId,
    description: row.description,
    quantity: row.quantity,
    unitPrice: row.unitPrice,
    amount: row.amount,
    createdAt: row.itemCreatedAt,
    updatedAt: row.itemUpdatedAt,
  };
}
