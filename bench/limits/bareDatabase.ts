import { createPool, type Pool, type PoolConnection, type ResultSetHeader } from 'mysql2';

/** A pool or connection that runs statements. */
export type Runner = Pick<Pool | PoolConnection, 'execute'>;

/** Opens the driver's own pool, with as many connections as the API has. */
export function bareDatabase(): Pool {
  const uri = process.env['DATABASE_URL'] ?? '';
  return createPool({ uri, connectionLimit: 20, maxIdle: 20, dateStrings: true, charset: 'utf8mb4_unicode_520_ci' });
}

/** Runs a prepared statement and returns its rows. */
export function rows<T>(on: Runner, sql: string, values: (string | number | null)[]): Promise<T[]> {
  return new Promise((resolve, reject) => {
    on.execute(sql, values, (error, result) => (error ? reject(error) : resolve(result as T[])));
  });
}

/** Runs a prepared statement and returns its insert id. */
export function run(on: Runner, sql: string, values: (string | number | null)[]): Promise<number> {
  return new Promise((resolve, reject) => {
    on.execute<ResultSetHeader>(sql, values, (error, result) => (error ? reject(error) : resolve(result.insertId)));
  });
}

/** Runs `work` between START TRANSACTION and COMMIT, without a rollback: an error ends the benchmark. */
export async function bareTransaction<T>(pool: Pool, work: (connection: PoolConnection) => Promise<T>): Promise<T> {
  const connection = await borrow(pool);
  try {
    await plain(connection, 'START TRANSACTION');
    const result = await work(connection);
    await plain(connection, 'COMMIT');
    return result;
  } finally {
    connection.release();
  }
}

function borrow(pool: Pool): Promise<PoolConnection> {
  return new Promise((resolve, reject) => {
    pool.getConnection((error, connection) => (error ? reject(error) : resolve(connection)));
  });
}

function plain(connection: PoolConnection, sql: string): Promise<void> {
  return new Promise((resolve, reject) => {
    connection.query(sql, (error) => (error ? reject(error) : resolve()));
  });
}

/** The columns that the project's responses show. */
export const bareInvoiceColumns = `i.id, i.companyId, i.clientId, i.invoiceNumber, i.status, i.issueDate, i.dueDate, i.subtotal,
  i.tax, i.taxRate, i.total, i.notes, i.currency, i.gatewayInvoiceId, i.gatewayInvoiceUrl, i.recurring, i.nextDueDate,
  i.createdAt, i.updatedAt, i.paidAt, i.softDelete, c.name AS clientName, c.email AS clientEmail`;

export const bareItemColumns = 'id, invoiceId, description, quantity, unitPrice, amount, createdAt, updatedAt';

export const bareExpenseColumns = `e.id, e.companyId, e.categoryId, e.vendorId, e.vendor, e.description, e.amount, e.currency,
  e.expenseDate, e.receiptUrl, e.status, e.recurring, e.nextDueDate, e.createdAt, e.updatedAt, e.softDelete,
  c.name AS categoryName`;

/** Company, category, vendor, description, amount, date, series and date of the occurrence. */
export const insertExpense = `INSERT INTO expenses (companyId, categoryId, vendorId, vendor, description, amount, currency,
    expenseDate, receiptUrl, status, recurring, nextDueDate, seriesId, occurrenceDate, softDelete, createdAt, updatedAt)
  VALUES (?, ?, NULL, ?, ?, ?, 'IDR', ?, NULL, 'pending', 'none', NULL, ?, ?, 0, UTC_TIMESTAMP(3), UTC_TIMESTAMP(3))`;

export const insertExpenseEvent = `INSERT INTO events (companyId, type, actor, subjectType, subjectId, data, createdAt)
  VALUES (?, 'expense.created', 'bare', 'expense', ?, '{"status":"pending"}', UTC_TIMESTAMP(3))`;

export const countExpense = `INSERT INTO record_counts (companyId, kind, softDelete, status, slot, total)
  VALUES (?, 'expense', 0, 'pending', CONNECTION_ID() % 16, 1) ON DUPLICATE KEY UPDATE total = total + VALUES(total)`;
