import type { Services } from '../../shared/services';
import { createClient, createCompany, createInvoice } from './factories';

export interface LargeInvoices {
  companyId: number;
  token: string;
  /** In ascending order, each created a second after the one before. */
  ids: number[];
}

/** A company with so many invoices of 1,000 items with 500 characters each: about 0.7 MB of JSON an invoice. */
export async function createLargeInvoices(services: Services, count: number): Promise<LargeInvoices> {
  const { companyId, token } = await createCompany(services);
  const clientId = (await createClient(services, companyId)).id;
  const { id } = await createInvoice(services, companyId, { clientId });
  const { sql } = services;
  const columns = `companyId, clientId, status, issueDate, dueDate, subtotal, tax, taxRate, total, notes, currency, recurring,
    softDelete, updatedAt`;
  await sql.run(
    `INSERT INTO invoices (${columns}, invoiceNumber, createdAt)
      WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n + 1 < ${count})
      SELECT ${columns}, CONCAT('COPY-', n), DATE_ADD(createdAt, INTERVAL n SECOND) FROM invoices JOIN n
       WHERE companyId = ? AND id = ? AND n < ${count} ORDER BY n`,
    [companyId, id],
  );
  const invoices = await sql.rows<{ id: number }>('SELECT id FROM invoices WHERE companyId = ? ORDER BY id', [
    companyId,
  ]);
  await sql.run('DELETE FROM invoice_items WHERE companyId = ?', [companyId]);
  for (const invoice of invoices) {
    await sql.run(
      `INSERT INTO invoice_items (companyId, invoiceId, position, description, quantity, unitPrice, amount, createdAt, updatedAt)
        WITH RECURSIVE n (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM n WHERE n < 999)
        SELECT companyId, id, n, RPAD(CONCAT('"Item" ', n, ' of ', id, ' '), 500, 'é and so on; '), n + 1, 2, 2 * (n + 1),
          createdAt, updatedAt
          FROM invoices JOIN n WHERE companyId = ? AND id = ?`,
      [companyId, invoice.id],
    );
  }
  await sql.run(`UPDATE record_counts SET total = ${count} WHERE companyId = ? AND kind = 'invoice' AND total > 0`, [
    companyId,
  ]);
  return { companyId, token, ids: invoices.map((invoice) => invoice.id) };
}
