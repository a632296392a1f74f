import { readFileSync } from 'node:fs';
import { type InvoiceDocument, renderHostedPage } from '../../shared/documents';
import type { Middleware } from 'koa';
import { bareDatabase, bareInvoiceColumns, bareItemColumns, rows } from './bareDatabase';

const pool = bareDatabase();
let document: InvoiceDocument | undefined;
/** One statement for what the page shows, found by the beginning of its token, and one for its items. */
const ofPage = 'hosted_pages h STRAIGHT_JOIN invoices i ON i.companyId = h.companyId AND i.id = h.invoiceId';
const invoiceOf = `SELECT ${bareInvoiceColumns}, h.token, o.name, o.address, o.logoKey,
    (SELECT SUM(settles) FROM payments p WHERE p.companyId = i.companyId AND p.invoiceId = i.id AND p.voidedAt IS NULL) AS paid,
    (SELECT url FROM payment_links l WHERE l.companyId = i.companyId AND l.invoiceId = i.id AND l.status = 'active' LIMIT 1) AS link,
    EXISTS (SELECT 1 FROM payment_links l
      WHERE l.companyId = i.companyId AND l.invoiceId = i.id AND l.status = 'processing') AS isProcessing
  FROM ${ofPage} JOIN companies o ON o.id = i.companyId
  JOIN clients c ON c.companyId = i.companyId AND c.id = i.clientId WHERE h.selector = ?`;
const itemsOf = `SELECT t.* FROM (SELECT i.companyId, i.id AS invoice FROM ${ofPage} WHERE h.selector = ?) p
  JOIN (SELECT companyId AS owner, position, ${bareItemColumns} FROM invoice_items) t
    ON t.owner = p.companyId AND t.invoiceId = p.invoice ORDER BY t.position`;

export const hostedPage: Middleware = async (ctx) => {
  document ??= JSON.parse(readFileSync(process.env['DOCUMENT_FILE'] ?? '', 'utf8')) as InvoiceDocument;
  const token = ctx.path.slice(ctx.path.lastIndexOf('/') + 1);
  const selector = [token.slice(0, 8)];
  const [[page]] = await Promise.all([
    rows<{ token: string }>(pool, invoiceOf, selector),
    rows(pool, itemsOf, selector),
  ]);
  if (page?.token !== token) return;
  ctx.type = 'html';
  const links = { pdf: `${token}/pdf`, pay: `${token}/pay`, logo: null };
  ctx.body = renderHostedPage(document, { links, canPay: true, note: null }).html;
};
