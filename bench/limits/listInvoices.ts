import { bareInvoiceColumns, bareItemColumns } from './bareColumns';
import { bareDatabase, rows } from './bareDatabase';
import { runBareServer } from './runBareServer';

const companyId = process.env['COMPANY_ID'] ?? '';
const pool = bareDatabase();
const newestTen = `SELECT STRAIGHT_JOIN ${bareInvoiceColumns} FROM invoices i
  JOIN clients c ON c.companyId = i.companyId AND c.id = i.clientId
  WHERE i.companyId = ? AND i.softDelete = 0 ORDER BY i.createdAt DESC, i.id DESC LIMIT 10`;
const itemsOfTen = `SELECT ${bareItemColumns} FROM invoice_items
  WHERE companyId = ? AND invoiceId IN (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ORDER BY invoiceId, position`;

runBareServer(async (ctx) => {
  const invoices = await rows<{ id: number; items: object[] }>(pool, newestTen, [companyId]);
  const ids = invoices.map(({ id }) => String(id));
  const items = await rows<{ invoiceId: number }>(pool, itemsOfTen, [companyId, ...ids]);
  const byId = new Map(invoices.map((invoice) => [invoice.id, Object.assign(invoice, { items: [] as object[] })]));
  for (const item of items) byId.get(item.invoiceId)?.items.push(item);
  ctx.body = { data: invoices };
});
