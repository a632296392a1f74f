import { bareInvoiceColumns, bareItemColumns } from './bareColumns';
import { bareDatabase, rows } from './bareDatabase';
import { runBareServer } from './runBareServer';

const companyId = process.env['COMPANY_ID'] ?? '';
const pool = bareDatabase();
const invoiceById = `SELECT ${bareInvoiceColumns} FROM invoices i
  JOIN clients c ON c.companyId = i.companyId AND c.id = i.clientId WHERE i.companyId = ? AND i.id = ?`;
const itemsOf = `SELECT ${bareItemColumns} FROM invoice_items WHERE companyId = ? AND invoiceId = ? ORDER BY position`;

runBareServer(async (ctx) => {
  const key = [companyId, ctx.path.slice(ctx.path.lastIndexOf('/') + 1)];
  const [invoices, items] = await Promise.all([rows<object>(pool, invoiceById, key), rows(pool, itemsOf, key)]);
  ctx.body = { ...invoices[0], items };
});
