import { coveredSql } from '../balance';
import { placeholders, type Sql } from '../engine/db';
import type { SkipReason } from '../emails';
import { remindedSql } from '../invoices';
import { isProcessingSql } from '../paymentLinks';

/**
 * SQL: why the invoice `i` of the company `o` and the client `c` gets no reminder now; NULL: it gets one. However many e-mails an address
 * got, it reads the one that bounced last.
 */
const obstacleSql = `CASE
    WHEN i.total - i.credited <= ${coveredSql} THEN 'nothing_due'
    WHEN i.softDelete = 1 OR i.status NOT IN (${remindedSql}) THEN 'invoice_not_open'
    WHEN ${isProcessingSql} THEN 'payment_processing'
    WHEN c.reminders = 0 THEN 'reminders_off'
    WHEN COALESCE(c.email, '') = '' THEN 'client_without_email'
    WHEN COALESCE(o.email, '') = '' OR o.name = '' THEN 'sender_not_found'
    WHEN (SELECT m.bouncedAt FROM emails m FORCE INDEX (emails_bounced) WHERE m.companyId = i.companyId AND m.recipient = c.email
      ORDER BY m.companyId DESC, m.recipient DESC, m.bouncedAt DESC LIMIT 1) >= COALESCE(c.emailChangedAt, '1000-01-01')
      THEN 'address_bounced'
  END`;

/** Returns why invoices of a company get no reminder now; those that get one are left out. Locks nothing. */
export async function reminderObstacles(
  { sql, companyId }: { sql: Sql; companyId: number },
  invoiceIds: readonly number[],
): Promise<Map<number, SkipReason>> {
  if (invoiceIds.length === 0) return new Map();
  const rows = await sql.rows<{ id: number; reason: SkipReason | null }>(
    `SELECT i.id, ${obstacleSql} AS reason FROM invoices i JOIN companies o ON o.id = i.companyId
      JOIN clients c ON c.companyId = i.companyId AND c.id = i.clientId
      WHERE i.companyId = ? AND i.id IN (${placeholders(invoiceIds.length)})`,
    [companyId, ...invoiceIds],
  );
  return new Map(rows.flatMap(({ id, reason }) => (reason === null ? [] : [[id, reason] as const])));
}
