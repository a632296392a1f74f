import { pipeline } from 'node:stream';
import { stringify } from 'csv-stringify';
import { bareInvoiceColumns } from './bareColumns';
import { bareDatabase } from './bareDatabase';
import { runBareServer } from './runBareServer';

const companyId = process.env['COMPANY_ID'] ?? '';
const pool = bareDatabase();
const invoicesWithItems = `SELECT STRAIGHT_JOIN ${bareInvoiceColumns}, t.id AS itemId, t.description, t.quantity, t.unitPrice,
    t.amount, t.createdAt AS itemCreatedAt, t.updatedAt AS itemUpdatedAt
  FROM invoices i JOIN clients c ON c.companyId = i.companyId AND c.id = i.clientId
  JOIN invoice_items t ON t.companyId = i.companyId AND t.invoiceId = i.id
  WHERE i.companyId = ? AND i.softDelete = 0 ORDER BY i.createdAt DESC, i.id DESC, t.position`;

runBareServer((ctx) => {
  const rows = pool.query(invoicesWithItems, [companyId]).stream();
  ctx.type = 'text/csv';
  ctx.body = pipeline(rows, stringify({ header: true, record_delimiter: '\r\n' }), (error) => {
    if (error) throw error;
  });
});
