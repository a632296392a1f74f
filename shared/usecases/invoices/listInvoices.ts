import type { Sql, SqlText, SqlValue } from '../../database/sql';
import { pageOf, type Page, type PageRequest } from '../page';
import { likePattern } from '../likePattern';
import { keptCount } from '../recordCounts';
import { foldInvoices, invoiceColumns, joinClientAndItems, type InvoiceRecord, type InvoiceRow } from './InvoiceRecord';

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

/**
 * One page of a company's invoices with client and items. Ids are found on an index first; only the page's rows are read.
 * Ties are broken by id in the same order, so that pages never overlap. The outer order names columns of the page alone, so
 * that its few ids are sorted and not the wide rows joined to them.
 */
export async function listInvoices(
  sql: Sql,
  companyId: number,
  request: InvoiceListRequest,
): Promise<Page<InvoiceRecord>> {
  const { where, values } = conditions(companyId, request);
  const order = request.sortOrder === 'asc' ? 'ASC' : 'DESC';
  // Numbers that were checked are written into the text: LIMIT takes no parameters on every server.
  const count = countOf(companyId, request, where, values);
  const rows = await sql.rows<InvoiceRow & { listed: string | number }>(
    `SELECT ${invoiceColumns}, (${count.text}) AS listed
       FROM (SELECT i.id, i.${request.sortBy} AS sortKey FROM invoices i WHERE ${where}
              ORDER BY i.${request.sortBy} ${order}, i.id ${order}
              LIMIT ${request.limit} OFFSET ${(request.page - 1) * request.limit}) page
       JOIN invoices i ON i.companyId = ? AND i.id = page.id ${joinClientAndItems}
      ORDER BY page.sortKey ${order}, page.id ${order}`,
    [...count.values, ...values, companyId],
  );
  // A page past the end has no row to carry the count.
  const listed =
    rows[0] ??
    (await sql.rows<{ listed: string | number | null }>(`SELECT (${count.text}) AS listed`, count.values))[0];
  return pageOf(foldInvoices(rows), Number(listed?.listed ?? 0), request);
}

function conditions(companyId: number, filter: InvoiceFilter): { where: string; values: SqlValue[] } {
  const where = ['i.companyId = ?', filter.includeDeleted ? 'i.softDelete IN (0, 1)' : 'i.softDelete = 0'];
  const values: SqlValue[] = [companyId];
  const add = (condition: string, ...bound: SqlValue[]): void => {
    where.push(condition);
    values.push(...bound);
  };
  if (filter.status !== null) add('i.status = ?', filter.status);
  if (filter.clientId !== null) add('i.clientId = ?', filter.clientId);
  if (filter.currency !== null) add('i.currency = ?', filter.currency);
  if (filter.issueDateFrom !== null) add('i.issueDate >= ?', filter.issueDateFrom);
  if (filter.issueDateTo !== null) add('i.issueDate <= ?', filter.issueDateTo);
  if (filter.dueDateFrom !== null) add('i.dueDate >= ?', filter.dueDateFrom);
  if (filter.dueDateTo !== null) add('i.dueDate <= ?', filter.dueDateTo);
  if (filter.search !== null) {
    const pattern = likePattern(filter.search);
    add(
      `(i.invoiceNumber COLLATE utf8mb4_unicode_520_ci LIKE ? ESCAPE '!'
        OR i.clientId IN (SELECT id FROM clients WHERE companyId = ? AND name LIKE ? ESCAPE '!'))`,
      pattern,
      companyId,
      pattern,
    );
  }
  return { where: where.join(' AND '), values };
}

/** How many the whole list has: kept counts know it for the usual lists, only other filters count, on an index. */
function countOf(companyId: number, filter: InvoiceFilter, where: string, values: SqlValue[]): SqlText {
  const { status, includeDeleted, ...others } = filter;
  const narrowed = [
    others.search,
    others.clientId,
    others.currency,
    others.issueDateFrom,
    others.issueDateTo,
    others.dueDateFrom,
    others.dueDateTo,
  ].some((value) => value !== null);
  if (!narrowed) return keptCount(companyId, 'invoice', { status, includeDeleted });
  return { text: `SELECT COUNT(*) FROM invoices i WHERE ${where}`, values };
}
