import type { Sql } from '../engine/db';

/** SQL: whether the client has paid a link of the invoice `i` by a method that takes days. */
export const isProcessingSql = `EXISTS (SELECT 1 FROM payment_links l
      WHERE l.companyId = i.companyId AND l.invoiceId = i.id AND l.status = 'processing')`;

/** Returns the value of {@link isProcessingSql} for one invoice. */
export async function isPaymentProcessing(sql: Sql, companyId: number, invoiceId: number): Promise<boolean> {
  const found = await sql.rows(
    `SELECT i.id FROM invoices i WHERE i.companyId = ? AND i.id = ? AND ${isProcessingSql}`,
    [companyId, invoiceId],
  );
  return found.length > 0;
}
