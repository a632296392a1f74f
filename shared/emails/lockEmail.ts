import type { UnitOfWork } from '../engine/db';
import { NotFound } from '../engine/errors';
import { pageToken } from '../hostedPages';
import { shownRecipient } from './recipients';
import type { EmailKind, EmailStatus } from './statuses';

/** What is decided by under a lock; times as MySQL writes them. */
export interface LockedEmail {
  id: number;
  invoiceId: number;
  status: EmailStatus;
  kind: EmailKind;
  messageId: string;
  /** As lists and events show it: the given addresses, or the client's. */
  recipient: string;
  /** Given with the request; null: it goes to the client. */
  givenTo: string | null;
  cc: string | null;
  message: string | null;
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

const columns = [
  ...['id', 'invoiceId', 'status', 'kind', 'messageId', 'givenTo', 'cc', 'message', 'providerMessageId', 'jobId'],
  ...['attemptedAt', 'sentAt', 'deliveredAt', 'openedAt', 'bouncedAt', 'errorCode', 'errorMessage'],
]
  .map((name) => `emails.${name}`)
  .concat(`${shownRecipient()} AS recipient`)
  .join(', ');

/**
 * Returns the e-mail, locked until the end of the transaction; null when absent or another company's. What also locks its invoice
 * does so before, as everywhere.
 */
export async function lockEmail({ sql, companyId }: UnitOfWork, emailId: number): Promise<LockedEmail | null> {
  const [email] = await sql.rows<LockedEmail>(
    `SELECT ${columns} FROM emails WHERE companyId = ? AND id = ? FOR UPDATE`,
    [companyId, emailId],
  );
  return email ?? null;
}

/** The time of the invoice's last change, as MySQL writes it, and the token of its page. */
interface OfInvoice {
  invoiceUpdatedAt: string;
  pageToken: string | null;
}

/**
 * Locks the invoice and then its e-mail, in one statement.
 * @throws {NotFound} when one of them is absent, deleted or another company's.
 */
export async function lockEmailOfInvoice(
  { sql, companyId }: UnitOfWork,
  { invoiceId, emailId }: { invoiceId: number; emailId: number },
): Promise<LockedEmail & OfInvoice> {
  const [found] = await sql.rows<{ id: number | null } & OfInvoice>(
    `SELECT i.updatedAt AS invoiceUpdatedAt, ${pageToken} AS pageToken, ${columns}
       FROM invoices i LEFT JOIN emails ON emails.companyId = i.companyId AND emails.id = ?
      WHERE i.companyId = ? AND i.id = ? AND i.softDelete = 0 FOR UPDATE`,
    [emailId, companyId, invoiceId],
  );
  if (found === undefined) throw new NotFound('invoice');
  if (found.id === null) throw new NotFound('e-mail');
  return found as LockedEmail & OfInvoice;
}
