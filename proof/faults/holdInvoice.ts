import { createConnection } from 'mysql2/promise';
import type { World } from './World';

/** Locks an invoice's row, as a transaction of another process that stands still. Resolves with what releases it. */
export async function holdInvoice({ installation, companyId }: World, invoiceId: number): Promise<() => Promise<void>> {
  const connection = await createConnection({ uri: `${installation.mysql.url}/invoicing` });
  await connection.query('START TRANSACTION');
  await connection.query('SELECT id FROM invoices WHERE companyId = ? AND id = ? FOR UPDATE', [companyId, invoiceId]);
  return async () => {
    await connection.query('ROLLBACK');
    await connection.end();
  };
}
