import type { UnitOfWork } from '../engine/db';
import type { EmailStatus } from './statuses';

/** What is decided by under a lock; times as MySQL writes them. */
export interface LockedEmail {
  id: number;
  invoiceId: number;
  status: EmailStatus;
  messageId: string;
  recipient: string;
  providerMessageId: string | null;
  jobId: number | null;
  attemptedAt: string | null;
  sentAt: string | null;
  deliveredAt: string | null;
  openedAt: string | null;
  bouncedAt: string | null;
  errorCode: string | null;
  errorMessage: string | null;
}

/**
 * Returns the e-mail, locked until the end of the transaction; null when absent or another company's. What also locks its invoice
 * does so before, as everywhere.
 */
export async function lockEmail({ sql, companyId }: UnitOfWork, emailId: number): Promise<LockedEmail | null> {
  const [email] = await sql.rows<LockedEmail>(
    `SELECT id, invoiceId, status, messageId, recipient, providerMessageId, jobId, attemptedAt, sentAt, deliveredAt, openedAt,
        bouncedAt, errorCode, errorMessage
      FROM emails WHERE companyId = ? AND id = ? FOR UPDATE`,
    [companyId, emailId],
  );
  return email ?? null;
}
