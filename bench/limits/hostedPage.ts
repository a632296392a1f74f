import { readFileSync } from 'node:fs';
import { type InvoiceDocument, renderHostedPage } from '../../shared/documents';
import { bareInvoiceColumns, bareItemColumns } from './bareColumns';
import { bareDatabase, rows } from './bareDatabase';
import { runBareServer } from './runBareServer';

const pool = bareDatabase();
const document = JSON.parse(readFileSync(process.env['DOCUMENT_FILE'] ?? '', 'utf8')) as InvoiceDocument;
const pageOf = 'SELECT companyId, invoiceId, token FROM hosted_pages WHERE selector = ?';
const invoiceOf = `SELECT ${bareInvoiceColumns}, o.name, o.address, o.logoKey,
    (SELECT SUM(settles) FROM payments p WHERE p.companyId = i.companyId AND p.invoiceId = i.id AND p.voidedAt IS NULL) AS paid,
    (SELECT url FROM payment_links l WHERE l.companyId = i.companyId AND l.invoiceId = i.id AND l.status = 'active' LIMIT 1) AS link
  FROM invoices i JOIN companies o ON o.id = i.companyId
  JOIN clients c ON c.companyId = i.companyId AND c.id = i.clientId WHERE i.companyId = ? AND i.id = ?`;
const itemsOf = `SELECT ${bareItemColumns} FROM invoice_items WHERE companyId = ? AND invoiceId = ? ORDER BY position`;
const processing =
  "SELECT id FROM payment_links WHERE companyId = ? AND invoiceId = ? AND status = 'processing' LIMIT 1";

runBareServer(async (ctx) => {
  const token = ctx.path.slice(ctx.path.lastIndexOf('/') + 1);
  const [page] = await rows<{ companyId: string; invoiceId: string }>(pool, pageOf, [token.slice(0, 8)]);
  if (page === undefined) return;
  const key = [page.companyId, page.invoiceId];
  await Promise.all([invoiceOf, itemsOf, processing].map((sql) => rows(pool, sql, key)));
  ctx.type = 'html';
  const links = { pdf: `${token}/pdf`, pay: `${token}/pay`, logo: null };
  ctx.body = renderHostedPage(document, { links, canPay: true, note: null }).html;
});
