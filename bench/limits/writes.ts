import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import { text } from 'node:stream/consumers';
import type { Middleware } from 'koa';
import type { PoolConnection } from 'mysql2';
import {
  bareDatabase,
  bareTransaction,
  countExpense,
  insertExpense,
  insertExpenseEvent,
  rows,
  run,
} from './bareDatabase';

const companyId = process.env['COMPANY_ID'] ?? '';
const pool = bareDatabase();

interface ExpenseBody {
  vendor: string;
  description: string;
  amount: number;
  expenseDate: string;
}

const categoryId = process.env['CATEGORY_ID'] ?? '';

export const createExpense: Middleware = async (ctx) => {
  const { vendor, description, amount, expenseDate } = JSON.parse(await text(ctx.req)) as ExpenseBody;
  const id = await bareTransaction(pool, async (connection) => {
    const values = [companyId, categoryId, vendor, description, amount.toFixed(2), expenseDate, null, null];
    const inserted = await run(connection, insertExpense, values);
    await run(connection, insertExpenseEvent, [companyId, String(inserted)]);
    await run(connection, countExpense, [companyId]);
    return inserted;
  });
  ctx.status = 201;
  ctx.body = { id, companyId, categoryId, vendor, description, amount, expenseDate };
};

interface InvoiceBody {
  issueDate: string;
  dueDate: string;
  items: { description: string; quantity: string; unitPrice: string }[];
}

const clientId = process.env['CLIENT_ID'] ?? '';

const insertInvoice = `INSERT INTO invoices (companyId, clientId, status, issueDate, dueDate, subtotal, tax, taxRate, total,
    notes, currency, recurring, softDelete, createdAt, updatedAt)
  VALUES (?, ?, 'draft', ?, ?, ?, ?, '11.00', ?, '', 'IDR', 'none', 0, UTC_TIMESTAMP(3), UTC_TIMESTAMP(3))`;
const oneItem = '(?, ?, ?, ?, ?, ?, ?, UTC_TIMESTAMP(3), UTC_TIMESTAMP(3))';
const insertItems = `INSERT INTO invoice_items
  (companyId, invoiceId, position, description, quantity, unitPrice, amount, createdAt, updatedAt) VALUES `;
const insertEvent = `INSERT INTO events (companyId, type, actor, subjectType, subjectId, data, createdAt)
  VALUES (?, 'invoice.created', 'bare', 'invoice', ?, '{}', UTC_TIMESTAMP(3))`;
const takeNumber = `UPDATE number_sequences SET nextValue = LAST_INSERT_ID(nextValue) + 1
  WHERE companyId = ? AND series = 'bare'`;
const giveNumber = 'UPDATE invoices SET invoiceNumber = ? WHERE companyId = ? AND id = ?';

export const createInvoice: Middleware = async (ctx) => {
  const body = JSON.parse(await text(ctx.req)) as InvoiceBody;
  ctx.body = await bareTransaction(pool, (connection) => create(connection, body));
  ctx.status = 201;
};

/** Locks the number sequence last: locked first, it would make concurrent creates wait from their first statement on. */
async function create(connection: PoolConnection, { issueDate, dueDate, items }: InvoiceBody): Promise<object> {
  const amounts = items.map(({ quantity, unitPrice }) => Number(quantity) * Number(unitPrice));
  const subtotal = amounts.reduce((sum, amount) => sum + amount, 0);
  const tax = subtotal * 0.11;
  const totals = [subtotal, tax, subtotal + tax].map((amount) => amount.toFixed(2));
  const id = await run(connection, insertInvoice, [companyId, clientId, issueDate, dueDate, ...totals]);
  const values = items.flatMap((item, index) => [
    ...[companyId, String(id), String(index), item.description, item.quantity, item.unitPrice],
    (amounts[index] ?? 0).toFixed(2),
  ]);
  await run(connection, insertItems + items.map(() => oneItem).join(', '), values);
  await run(connection, insertEvent, [companyId, String(id)]);
  const invoiceNumber = `BARE-${await run(connection, takeNumber, [companyId])}`;
  await run(connection, giveNumber, [invoiceNumber, companyId, String(id)]);
  return { id, companyId, clientId, invoiceNumber, issueDate, dueDate, totals, items };
}

const token = process.env['CALLBACK_TOKEN'] ?? '';
const linkOf = `SELECT companyId, id, status, gatewayId, EXISTS (
    SELECT 1 FROM payments p WHERE p.companyId = l.companyId AND p.gatewayId = ?) AS isKnown
  FROM payment_links l WHERE provider = 'xendit' AND reference = ?`;
const insertJob = `INSERT INTO jobs (companyId, name, queue, payload, dedupeKey, status, attempt, uncounted, maxAttempt,
    availableAt, relayAt, createdAt, updatedAt)
  VALUES (?, 'bare', 'bare', ?, ?, 'done', 0, 0, 1, UTC_TIMESTAMP(3), UTC_TIMESTAMP(3), UTC_TIMESTAMP(3), UTC_TIMESTAMP(3))`;

export const receiveCallback: Middleware = async (ctx) => {
  const digest = (secret: string): Buffer => createHash('sha256').update(secret).digest();
  if (!timingSafeEqual(digest(ctx.get('x-callback-token')), digest(token))) return;
  const { id, external_id: reference } = JSON.parse(await text(ctx.req)) as { id: string; external_id: string };
  const [link] = await rows<{ companyId: string; id: string }>(pool, linkOf, [id, reference]);
  if (link === undefined) return;
  const payload = JSON.stringify({ paymentLinkId: link.id });
  await bareTransaction(pool, (connection) => run(connection, insertJob, [link.companyId, payload, randomUUID()]));
  ctx.body = { message: 'Received' };
};
