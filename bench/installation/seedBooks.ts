import type { Services } from '../../shared/services';
import { seedCompany } from './seedInvoices';

const clients = 200;

/** A company with invoices that are all open. */
export interface Books {
  companyId: number;
  token: string;
  clientId: number;
  invoices: number;
}

/** Adds a company with sent invoices by SQL alone, at most 1,000,000, each of items with a quantity of 1,000. They are issued over 300 days. */
export async function seedBooks(services: Services, invoices: number, items: number): Promise<Books> {
  const { companyId, token, clientIds } = await seedCompany(services, clients);
  const total = items * 100_000;
  const clientId = Math.min(...clientIds);
  await services.sql.run(
    `INSERT INTO invoices (companyId, clientId, invoiceNumber, status, issueDate, dueDate, subtotal, tax, taxRate, total, notes,
         currency, recurring, softDelete, createdAt, updatedAt)
       WITH RECURSIVE hundred (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM hundred WHERE n < 99),
         numbers (n) AS (SELECT (a.n * 100 + b.n) * 100 + c.n FROM hundred a CROSS JOIN hundred b CROSS JOIN hundred c)
       SELECT ?, ? + n % ${clients}, CONCAT('BOOK-', n), 'sent', '2026-01-01' + INTERVAL n % 300 DAY,
         '2026-01-31' + INTERVAL n % 300 DAY, ?, ?, 11, ?, 'Thank you for your business.', 'IDR', 'none', 0,
         '2026-01-01' + INTERVAL n SECOND, '2026-01-01' + INTERVAL n SECOND FROM numbers WHERE n < ?`,
    [companyId, clientId, total, total * 0.11, total * 1.11, invoices],
  );
  await services.sql.run(
    `INSERT INTO invoice_items (companyId, invoiceId, position, description, quantity, unitPrice, amount, createdAt, updatedAt)
       WITH RECURSIVE n (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM n WHERE n + 1 < ?)
       SELECT i.companyId, i.id, n, CONCAT('Software licence, seat ', n), 1000, 100, 100000, i.createdAt, i.updatedAt
         FROM invoices i JOIN n WHERE i.companyId = ?`,
    [items, companyId],
  );
  await services.sql.run(
    `INSERT INTO record_counts (companyId, kind, softDelete, status, slot, total) VALUES (?, 'invoice', 0, 'sent', 0, ?)`,
    [companyId, invoices],
  );
  await services.sequelize.query('ANALYZE TABLE clients, invoices, invoice_items');
  return { companyId, token, clientId, invoices };
}
