import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { stringify } from 'csv-stringify';
import type { Middleware } from 'koa';
import { bareDatabase, bareExpenseColumns, bareInvoiceColumns, bareItemColumns, rows } from './bareDatabase';

const companyId = process.env['COMPANY_ID'] ?? '';
const pool = bareDatabase();

const invoiceById = `SELECT ${bareInvoiceColumns} FROM invoices i
  JOIN clients c ON c.companyId = i.companyId AND c.id = i.clientId WHERE i.companyId = ? AND i.id = ?`;
const itemsOf = `SELECT ${bareItemColumns} FROM invoice_items WHERE companyId = ? AND invoiceId = ? ORDER BY position`;

export const getInvoice: Middleware = async (ctx) => {
  const key = [companyId, ctx.path.slice(ctx.path.lastIndexOf('/') + 1)];
  const [invoices, items] = await Promise.all([rows<object>(pool, invoiceById, key), rows(pool, itemsOf, key)]);
  ctx.body = { ...invoices[0], items };
};

const newestTen = `SELECT STRAIGHT_JOIN ${bareInvoiceColumns} FROM invoices i
  JOIN clients c ON c.companyId = i.companyId AND c.id = i.clientId
  WHERE i.companyId = ? AND i.softDelete = 0 ORDER BY i.createdAt DESC, i.id DESC LIMIT 10`;
const itemsOfTen = `SELECT ${bareItemColumns} FROM invoice_items
  WHERE companyId = ? AND invoiceId IN (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ORDER BY invoiceId, position`;

export const listInvoices: Middleware = async (ctx) => {
  const invoices = await rows<{ id: number; items: object[] }>(pool, newestTen, [companyId]);
  const ids = invoices.map(({ id }) => String(id));
  const items = await rows<{ invoiceId: number }>(pool, itemsOfTen, [companyId, ...ids]);
  const byId = new Map(invoices.map((invoice) => [invoice.id, Object.assign(invoice, { items: [] as object[] })]));
  for (const item of items) byId.get(item.invoiceId)?.items.push(item);
  ctx.body = { data: invoices };
};

/** Reads page, categories and total in one round trip, as the project does. */
const latestTen = `SELECT ${bareExpenseColumns},
    (SELECT SUM(total) FROM record_counts WHERE companyId = ? AND kind = 'expense' AND softDelete = 0) AS listed
  FROM (SELECT id, expenseDate AS sortKey FROM expenses WHERE companyId = ? AND softDelete = 0
         ORDER BY expenseDate DESC, id DESC LIMIT 10) page
  JOIN expenses e ON e.companyId = ? AND e.id = page.id
  JOIN categories c ON c.companyId = e.companyId AND c.id = e.categoryId
  ORDER BY page.sortKey DESC, page.id DESC`;

export const listExpenses: Middleware = async (ctx) => {
  const data = await rows<{ listed: string }>(pool, latestTen, [companyId, companyId, companyId]);
  ctx.body = { data, total: Number(data[0]?.listed ?? 0) };
};

const thousandEvents = `SELECT seq AS id, type, createdAt, actor, requestId, subjectType, subjectId, data FROM events
  WHERE companyId = ? AND seq > ? ORDER BY seq LIMIT 1000`;

export const readEvents: Middleware = async (ctx) => {
  ctx.body = { data: await rows(pool, thousandEvents, [companyId, String(ctx.query['after'])]) };
};

const invoicesWithItems = `SELECT STRAIGHT_JOIN ${bareInvoiceColumns}, t.id AS itemId, t.description, t.quantity, t.unitPrice,
    t.amount, t.createdAt AS itemCreatedAt, t.updatedAt AS itemUpdatedAt
  FROM invoices i JOIN clients c ON c.companyId = i.companyId AND c.id = i.clientId
  JOIN invoice_items t ON t.companyId = i.companyId AND t.invoiceId = i.id
  WHERE i.companyId = ? AND i.softDelete = 0 ORDER BY i.createdAt DESC, i.id DESC, t.position`;

export const exportInvoices: Middleware = (ctx) => {
  const rows = pool.query(invoicesWithItems, [companyId]).stream();
  ctx.type = 'text/csv';
  ctx.body = pipeline(rows, stringify({ header: true, record_delimiter: '\r\n' }), (error) => {
    if (error) throw error;
  });
};

export const sendFile: Middleware = async (ctx) => {
  const bytes = await readFile(join(process.env['FOLDER'] ?? '', ctx.path.slice(ctx.path.lastIndexOf('/') + 1)));
  ctx.type = 'application/pdf';
  ctx.body = bytes;
};
