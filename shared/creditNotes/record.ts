import type { SchemaObject } from 'ajv';
import { type Sql } from '../engine/db';
import {
  assigned,
  type AnyPage,
  besideFirst,
  cursorParameter,
  type CursorRequest,
  day,
  decided,
  decimal,
  describeList,
  describeRecord,
  equal,
  extended,
  groupBy,
  type InputOf,
  notAfter,
  notBefore,
  nullable,
  optional,
  type PageSource,
  picker,
  presenter,
  readAnyPage,
  readBatches,
  readRecord,
  type RecordSource,
  required,
  requireRecord,
  type RowOf,
  timestamp,
  value,
} from '../engine/records';
import { currency, line, pageQuery, recordId, text } from '../engine/schemas';

const fields = {
  id: assigned(value(recordId)),
  invoiceId: assigned(value(recordId)),
  creditNoteNumber: assigned(value(line(50))),
  /** The current day of the company, if a request gives none. */
  issueDate: decided(day),
  reason: required(value(text(500, 20, 1), text(500))),
  notes: optional(value(text(10_000, 500)), ''),
  subtotal: assigned(decimal()),
  tax: assigned(decimal()),
  total: assigned(decimal()),
  currency: assigned(value(currency)),
  createdAt: assigned(timestamp),
};

const itemFields = {
  id: assigned(value(recordId)),
  itemId: assigned(nullable(value(recordId))),
  description: assigned(value(text(500))),
  quantity: assigned(decimal()),
  unitPrice: assigned(decimal()),
  amount: assigned(decimal()),
};

/** A quantity of an item of the invoice, or an amount that belongs to none. */
const creditedItem = describeRecord('CreditNoteItem', {
  itemId: decided(value(recordId)),
  quantity: decided(decimal({ above: '0' })),
  description: decided(value(text(500, 20, 1))),
  amount: decided(decimal({ above: '0' })),
});

export type CreditNoteItemRecord = RowOf<typeof itemFields>;
export type CreditNoteRecord = RowOf<typeof fields> & { items: CreditNoteItemRecord[] };
export type CreditNoteItemInput = InputOf<typeof creditedItem.fields>;
/** A checked request. Without `items` it credits everything that is left. */
export type CreditNoteInput = InputOf<typeof fields> & { items?: CreditNoteItemInput[] };

/** The schema of a request to issue a credit note. */
export const newCreditNoteBody: SchemaObject = describeRecord('CreditNote', fields, {
  ofNew: { items: { type: 'array', minItems: 1, maxItems: 1_000, items: creditedItem.newBody } },
}).newBody;

const presentItem = presenter(itemFields, { title: 'CreditNoteItem' });

export const presentCreditNote = extended(
  presenter(fields, { title: 'CreditNote' }),
  'CreditNote',
  { items: { type: 'array', items: presentItem.schema } },
  ({ items }: CreditNoteRecord) => ({ items: items.map(presentItem) }),
);

/** An item, and beside the note's first item the note, beside others its id alone. */
type Row = CreditNoteRecord & { item_position: number };
const ofNote = Object.keys(fields).filter((name) => name !== 'id');
const pickNote = picker<CreditNoteRecord>(Object.keys(fields));
const pickItem = picker<CreditNoteItemRecord>(Object.keys(itemFields), 'item_');

const source: RecordSource<CreditNoteRecord> = {
  name: 'credit note',
  table: 'credit_notes',
  alias: 'k',
  columns: [
    'k.id',
    ...ofNote.map((name) => besideFirst(`k.${name}`, name)),
    ...['position', ...Object.keys(itemFields)].map((name) => `t.${name} AS item_${name}`),
  ].join(', '),
  joins: 'JOIN credit_note_items t ON t.companyId = k.companyId AND t.creditNoteId = k.id',
  toRecords: (rows) => foldNotes(rows as Row[]),
};

/** Groups the rows of items into notes, and sorts the items. */
function foldNotes(rows: readonly Row[]): CreditNoteRecord[] {
  return [...groupBy(rows, ({ id }) => id).values()].map((of) => {
    of.sort((a, b) => a.item_position - b.item_position);
    return { ...pickNote(of[0]), items: of.map(pickItem) };
  });
}

const sortings = ['issueDate', 'id', 'createdAt'] as const;

/** A company's credit notes. */
export const creditNoteList = describeList<typeof fields, CreditNoteRecord>(source, {
  sortBy: sortings,
  defaultSort: 'issueDate',
  cursorBy: sortings,
  search: ['creditNoteNumber', 'reason'],
  filters: {
    invoiceId: equal('invoiceId', recordId),
    currency: equal('currency', currency),
    issueDateFrom: notBefore('issueDate', day.request),
    issueDateTo: notAfter('issueDate', day.request),
  },
  indexes: { id: 'PRIMARY', issueDate: 'credit_notes_by_day', createdAt: 'credit_notes_by_created' },
  days: { credit_notes_by_day: ['issueDateFrom', 'issueDateTo'] },
});

/** The query parameters of the list of an invoice. */
export const creditNotesQuery = pageQuery(sortings, 'issueDate', cursorParameter);
export type CreditNotesRequest = CursorRequest<(typeof sortings)[number]>;

/** @throws {NotFound} when the invoice is absent, deleted or another company's. */
export async function listCreditNotes(
  sql: Sql,
  companyId: number,
  invoiceId: number,
  request: CreditNotesRequest,
): Promise<AnyPage<CreditNoteRecord>> {
  await requireInvoice(sql, companyId, invoiceId);
  const list = `credit_notes/${invoiceId}`;
  return readAnyPage(sql, companyId, notesOf(invoiceId), request, { list, cursorBy: sortings });
}

/** Reads all credit notes of an invoice in batches. @throws as {@link listCreditNotes}. */
export async function* creditNoteBatches(
  sql: Sql,
  companyId: number,
  invoiceId: number,
  request: CreditNotesRequest,
): AsyncGenerator<CreditNoteRecord[]> {
  await requireInvoice(sql, companyId, invoiceId);
  yield* readBatches(sql, companyId, notesOf(invoiceId), request, sortings);
}

/** An invoice has at most a hundred credit notes: sorting them needs no index. */
function notesOf(invoiceId: number): PageSource<CreditNoteRecord> {
  const conditions = [{ text: 'k.invoiceId = ?', values: [invoiceId] }];
  return { ...source, conditions, index: 'credit_notes_by_invoice' };
}

const requireInvoice = (sql: Sql, companyId: number, id: number): Promise<void> =>
  requireRecord(sql, companyId, { name: 'invoice', table: 'invoices' }, id);

/** @throws {NotFound} when absent or another company's. */
export function getCreditNote(sql: Sql, companyId: number, id: number): Promise<CreditNoteRecord> {
  return readRecord(sql, companyId, source, id);
}
