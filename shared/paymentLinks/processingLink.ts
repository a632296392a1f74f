import type { Sql } from '../engine/db';

/** Tests whether the client has paid one of the invoice's links by a method that takes days. */
export async function isPaymentProcessing(sql: Sql, companyId: number, invoiceId: number): Promise<boolean> {
  const found = await sql.rows(
    "SELECT id FROM payment_links WHERE companyId = ? AND invoiceId = ? AND status = 'processing' LIMIT 1",
    [companyId, invoiceId],
  );
  return found.length > 0;
}
