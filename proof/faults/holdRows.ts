import { createConnection } from 'mysql2/promise';
import type { World } from './World';

/**
 * Locks an invoice's row, as a stalled transaction of another process would. Resolves with a function that releases it.
 */
export function holdInvoice(world: World, invoiceId: number): Promise<() => Promise<void>> {
  return holdRows(world, 'SELECT id FROM invoices WHERE companyId = ? AND id = ? FOR UPDATE', [invoiceId]);
}

/** Locks the company's number sequences: creates of invoices wait while they hold their own locks. */
export function holdSequences(world: World): Promise<() => Promise<void>> {
  return holdRows(world, 'SELECT nextValue FROM number_sequences WHERE companyId = ? FOR UPDATE', []);
}

async function holdRows(
  { installation, companyId }: World,
  lock: string,
  values: readonly number[],
): Promise<() => Promise<void>> {
  const connection = await createConnection({ uri: `${installation.mysql.url}/invoicing` });
  await connection.query('START TRANSACTION');
  await connection.query(lock, [companyId, ...values]);
  return async () => {
    await connection.query('ROLLBACK');
    await connection.end();
  };
}
