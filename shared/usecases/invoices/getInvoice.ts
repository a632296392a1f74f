import type { Sql } from '../../database/sql';
import { NotFound } from '../../errors';
import { foldInvoices, invoiceColumns, joinClientAndItems, type InvoiceRecord, type InvoiceRow } from './InvoiceRecord';

const byId = `SELECT ${invoiceColumns} FROM invoices i ${joinClientAndItems}
  WHERE i.companyId = ? AND i.id = ?`;

/** @throws {NotFound} when absent, another company's, or deleted (unless `includeDeleted`). */
export async function getInvoice(
  sql: Sql,
  companyId: number,
  invoiceId: number,
  { includeDeleted = false } = {},
): Promise<InvoiceRecord> {
  const [invoice] = foldInvoices(await sql.rows<InvoiceRow>(byId, [companyId, invoiceId]));
  if (invoice === undefined || (invoice.softDelete === 1 && !includeDeleted)) throw new NotFound('invoice');
  return invoice;
}
