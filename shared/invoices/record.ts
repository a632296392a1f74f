import type { Sql } from '../engine/db';
import {
  assigned,
  besideFirst,
  type ChangesOf,
  date,
  day,
  decided,
  decimal,
  describeList,
  describeRecord,
  entityTag,
  equal,
  extended,
  flag,
  type InputOf,
  notAfter,
  notBefore,
  nullable,
  optional,
  picker,
  presenter,
  rate,
  type Presenter,
  readRecord,
  type RecordKind,
  required,
  type RowOf,
  timestamp,
  value,
} from '../engine/records';
import * as schemas from '../engine/schemas';
import { byExternalId } from '../details';
import { recurrence, recurrenceFilters } from '../recurrence';
import { detailsTable, invoiceDetails, type InvoiceDetailsInput } from './details';
import { invoiceEvents, invoiceFacts, type InvoiceFacts } from './events';
import { Invoice } from './Invoice';
import { invoiceRecurrence } from './recurrence';
import { invoiceRules } from './rules';
import { searchInvoices } from './searchInvoices';
import { taxRateSql } from './taxRate';
import { invoiceStatus, invoiceStatuses, type InvoiceStatus } from './statuses';

const { currency, line, named, oneLine, orNull, recordId, responseBody, text } = schemas;

const itemFields = {
  id: assigned(value(recordId)),
  invoiceId: assigned(value(recordId)),
  description: required(value(text(500, 20, 1), text(500))),
  quantity: required(decimal({ above: '0' })),
  unitPrice: required(decimal()),
  amount: assigned(decimal()),
  createdAt: assigned(timestamp),
  updatedAt: assigned(timestamp),
};

const fields = {
  id: assigned(value(recordId)),
  companyId: assigned(value(recordId)),
  clientId: required(value(recordId)),
  /** The next of the company's sequence where none is given. */
  invoiceNumber: decided(value(oneLine(50, 'printable'), line(50))),
  status: optional(value(invoiceStatus), 'draft'),
  issueDate: required(date),
  dueDate: required(date),
  subtotal: assigned(decimal()),
  tax: assigned(decimal()),
  taxRate: optional(rate, '0.00'),
  total: assigned(decimal()),
  notes: optional(value(text(10_000, 500)), ''),
  /** The company's where none is given. */
  currency: decided(value(currency)),
  gatewayInvoiceId: assigned(nullable(value(line(191)))),
  gatewayInvoiceUrl: assigned(nullable(value(text(2048)))),
  /** The series of the invoice (see `SeriesState`). */
  recurring: decided(value(recurrence)),
  nextDueDate: decided(nullable(day)),
  createdAt: assigned(timestamp),
  updatedAt: assigned(timestamp),
  paidAt: assigned(nullable(timestamp)),
  softDelete: assigned(flag),
};

/** The client as it is shown with an invoice. A renamed one is another version of what is shown. */
interface ClientColumns {
  clientName: string;
  clientEmail: string | null;
  clientUpdatedAt: string;
}

export type InvoiceItemRecord = RowOf<typeof itemFields>;
export type InvoiceRecord = RowOf<typeof fields> & ClientColumns & { items: InvoiceItemRecord[] };
export type InvoiceItemInput = InputOf<typeof itemFields>;
export type InvoiceInput = InputOf<typeof fields> & { items: InvoiceItemInput[]; details?: InvoiceDetailsInput };
/** A PUT: absent fields keep their values; `items` replace all items. */
export type InvoiceChanges = ChangesOf<typeof fields> & { items?: InvoiceItemInput[] };

export const invoiceItem = describeRecord('InvoiceItem', itemFields);
export const invoice = describeRecord('Invoice', fields, {
  ignored: ['taxAmount', 'client'],
  further: { items: { type: 'array', minItems: 1, maxItems: 1000, items: invoiceItem.newBody } },
  ofNew: { details: invoiceDetails.body },
});

const { createdAt: _created, updatedAt: _updated, ...itemFieldsAlone } = itemFields;

/** Create, get, update: days as timestamps at midnight UTC, items without timestamps. */
export const presentInvoice = withClientAndItems(
  'Invoice',
  'alone',
  presenter(itemFieldsAlone, { title: 'InvoiceItem' }),
);
/** List: days as `YYYY-MM-DD`, items with their timestamps. */
export const presentInvoiceInList = withClientAndItems(
  'InvoiceInList',
  'listed',
  presenter(itemFields, { title: 'InvoiceItemInList' }),
);

function withClientAndItems(
  title: string,
  view: 'alone' | 'listed',
  presentItem: Presenter<InvoiceItemRecord>,
): Presenter<InvoiceRecord> {
  const client = { id: recordId, name: { type: 'string' }, email: orNull(line(254)) };
  return extended(
    presenter(fields, { title, view }),
    title,
    {
      client: named('ClientSummary', responseBody(client)),
      items: { type: 'array', items: presentItem.schema },
    },
    ({ clientId, clientName, clientEmail, items }: InvoiceRecord) => ({
      client: { id: clientId, name: clientName, email: clientEmail },
      items: items.map(presentItem),
    }),
  );
}

/** A row of the statement below: an item, and beside the invoice's first item the invoice, beside others its id alone. */
type Row = InvoiceRecord & { item_position: number };

const ofInvoice = Object.keys(fields).filter((name) => name !== 'id');
const ofItem = ['position', ...Object.keys(itemFields)];

export const invoiceKind: RecordKind<Invoice, InvoiceRecord, InvoiceFacts> = {
  name: 'invoice',
  table: 'invoices',
  alias: 'i',
  // Invoice, client and items in one statement: one round trip, and totals that always belong to the items beside them.
  columns: [
    'i.id',
    ...ofInvoice.map((name) => besideFirst(name === 'taxRate' ? taxRateSql : `i.${name}`, name)),
    besideFirst('c.name', 'clientName'),
    besideFirst('c.email', 'clientEmail'),
    besideFirst('c.updatedAt', 'clientUpdatedAt'),
    ...ofItem.map((name) => `t.${name} AS item_${name}`),
  ].join(', '),
  joins: `JOIN clients c ON c.companyId = i.companyId AND c.id = i.clientId
    JOIN invoice_items t ON t.companyId = i.companyId AND t.invoiceId = i.id`,
  isDeletable: true,
  toRecords: foldInvoices,
  model: Invoice,
  tagOf: ({ updatedAt, clientUpdatedAt }) => entityTag(updatedAt, clientUpdatedAt),
  changeable: [...new Set([...invoice.changeable, ...invoiceRecurrence.changeable])],
  events: invoiceEvents,
  facts: invoiceFacts,
  counted: 'invoice',
  entered: (status) => invoiceRules[status as InvoiceStatus].entered,
};

const pickInvoice = picker<InvoiceRecord>([...Object.keys(fields), 'clientName', 'clientEmail', 'clientUpdatedAt']);
const pickItem = picker<InvoiceItemRecord>(Object.keys(itemFields), 'item_');

/** Folds rows in which those of an invoice follow one another; the order of its items is made here. */
export function foldInvoices(rows: readonly object[]): InvoiceRecord[] {
  const groups: Row[][] = [];
  let group: Row[] = [];
  for (const row of rows as readonly Row[]) {
    if (group[0]?.id === row.id) group.push(row);
    else groups.push((group = [row]));
  }
  return groups.map((of) => {
    of.sort((a, b) => a.item_position - b.item_position);
    const folded = pickInvoice(of[0] as Row);
    folded.items = of.map(pickItem);
    return folded;
  });
}

/** A company's invoices with clients and items. */
export const invoiceList = describeList<typeof fields, InvoiceRecord>(invoiceKind, {
  sortBy: ['id', 'invoiceNumber', 'status', 'issueDate', 'dueDate', 'total', 'createdAt', 'updatedAt', 'paidAt'],
  defaultSort: 'createdAt',
  cursorBy: ['id', 'createdAt', 'updatedAt', 'issueDate'],
  search: {
    of: '`invoiceNumber` or of the name of the client',
    find: searchInvoices,
    matches: (pattern, companyId) => ({
      text: `(i.invoiceNumber COLLATE utf8mb4_unicode_520_ci LIKE ? ESCAPE '!'
        OR i.clientId IN (SELECT id FROM clients WHERE companyId = ? AND name LIKE ? ESCAPE '!'))`,
      values: [pattern, companyId, pattern],
    }),
  },
  counted: { kind: 'invoice', statuses: invoiceStatuses },
  filters: {
    externalId: byExternalId(detailsTable),
    clientId: equal('clientId', recordId),
    currency: equal('currency', currency),
    issueDateFrom: notBefore('issueDate', schemas.day),
    issueDateTo: notAfter('issueDate', schemas.day),
    dueDateFrom: notBefore('dueDate', schemas.day),
    dueDateTo: notAfter('dueDate', schemas.day),
    ...recurrenceFilters,
  },
  indexes: {
    id: 'PRIMARY',
    createdAt: 'invoices_by_created',
    updatedAt: 'invoices_by_updated',
    issueDate: 'invoices_by_issue_date',
    dueDate: 'invoices_by_due_date',
  },
  statusIndexes: { createdAt: 'invoices_by_status', dueDate: 'invoices_overdue' },
  days: {
    invoices_by_issue_date: ['issueDateFrom', 'issueDateTo'],
    invoices_by_due_date: ['dueDateFrom', 'dueDateTo'],
  },
});

/** @throws {NotFound} when absent, another company's, or deleted (unless `includeDeleted`). */
export function getInvoice(
  sql: Sql,
  companyId: number,
  id: number,
  options?: { includeDeleted?: boolean },
): Promise<InvoiceRecord> {
  return readRecord(sql, companyId, invoiceKind, id, options);
}
