import type { PoolConnection } from 'mysql2';
import { bareDatabase, run } from './bareDatabase';
import { bareTransaction } from './bareTransaction';
import { bodyText } from './bodyText';
import { runBareServer } from './runBareServer';

interface Body {
  issueDate: string;
  dueDate: string;
  items: { description: string; quantity: string; unitPrice: string }[];
}

const companyId = process.env['COMPANY_ID'] ?? '';
const clientId = process.env['CLIENT_ID'] ?? '';
const pool = bareDatabase();

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

runBareServer(async (ctx) => {
  const body = JSON.parse(await bodyText(ctx.req)) as Body;
  ctx.body = await bareTransaction(pool, (connection) => create(connection, body));
  ctx.status = 201;
});

/** Locks the number sequence last: locked first, it would make concurrent creates wait from their first statement on. */
async function create(connection: PoolConnection, { issueDate, dueDate, items }: Body): Promise<object> {
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
