import type { Sql } from '../../database/sql';
import type { LargePage, Page, PageRequest } from '../page';
import { likePattern } from '../likePattern';
import { Conditions, readPage } from '../readPage';
import { keptCount } from '../recordCounts';
import { foldInvoices, invoiceColumns, joinClientAndItems, type InvoiceRecord } from './InvoiceRecord';

export const invoiceSortFields = [
  'id',
  'invoiceNumber',
  'status',
  'issueDate',
  'dueDate',
  'total',
  'createdAt',
  'updatedAt',
  'paidAt',
] as const;

export interface InvoiceFilter {
  status: string | null;
  search: string | null;
  clientId: number | null;
  currency: string | null;
  issueDateFrom: string | null;
  issueDateTo: string | null;
  dueDateFrom: string | null;
  dueDateTo: string | null;
  includeDeleted: boolean;
}

export type InvoiceListRequest = InvoiceFilter & PageRequest<(typeof invoiceSortFields)[number]>;

/** One page of a company's invoices with client and items. */
export function listInvoices(
  sql: Sql,
  companyId: number,
  request: InvoiceListRequest,
): Promise<Page<InvoiceRecord> | LargePage<InvoiceRecord>> {
  const { status, includeDeleted } = request;
  const conditions = narrowed(companyId, request);
  // Kept counts know the total of the usual lists; other filters count, on an index.
  const count = conditions.texts.length === 0 ? keptCount(companyId, 'invoice', { status, includeDeleted }) : null;
  conditions.deleted('i', includeDeleted).add('i.status = ?', status);
  const source = {
    table: 'invoices',
    alias: 'i',
    columns: invoiceColumns,
    joins: joinClientAndItems,
    conditions,
    count,
    toRecords: foldInvoices,
  } as const;
  return readPage(sql, companyId, source, request);
}

/** All filters but those that the kept counts know. */
function narrowed(companyId: number, filter: InvoiceFilter): Conditions {
  const pattern = filter.search === null ? null : likePattern(filter.search);
  return new Conditions()
    .add('i.clientId = ?', filter.clientId)
    .add('i.currency = ?', filter.currency)
    .add('i.issueDate >= ?', filter.issueDateFrom)
    .add('i.issueDate <= ?', filter.issueDateTo)
    .add('i.dueDate >= ?', filter.dueDateFrom)
    .add('i.dueDate <= ?', filter.dueDateTo)
    .add(
      `(i.invoiceNumber COLLATE utf8mb4_unicode_520_ci LIKE ? ESCAPE '!'
        OR i.clientId IN (SELECT id FROM clients WHERE companyId = ? AND name LIKE ? ESCAPE '!'))`,
      pattern,
      companyId,
      pattern,
    );
}
