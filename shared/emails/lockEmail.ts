import { padded, placeholders, type UnitOfWork } from '../engine/db';
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
 * Locks invoices and then their e-mails, in one statement. With `skipLocked`, what another transaction has locked is left out. Returns a
 * function that returns one of them.
 * @throws {NotFound} that function, when the invoice or the e-mail is absent, left out, deleted or another company's.
 */
export async function lockEmailsOfInvoices(
  { sql, companyId }: UnitOfWork,
  wanted: readonly { invoiceId: number; emailId: number }[],
  skipLocked: boolean,
): Promise<(emailId: number) => LockedEmail & OfInvoice> {
  const all = padded(wanted);
  const ids = placeholders(all.length);
  const found = await sql.rows<Omit<LockedEmail, 'id'> & OfInvoice & { ofInvoice: number; id: number | null }>(
    `SELECT i.id AS ofInvoice, i.updatedAt AS invoiceUpdatedAt, ${pageToken} AS pageToken, ${columns}
       FROM invoices i FORCE INDEX (PRIMARY) LEFT JOIN emails FORCE INDEX (PRIMARY)
         ON emails.companyId = i.companyId AND emails.id IN (${ids}) AND emails.invoiceId = i.id
      WHERE i.companyId = ? AND i.id IN (${ids}) AND i.softDelete = 0 FOR UPDATE${skipLocked ? ' SKIP LOCKED' : ''}`,
    [...all.map(({ emailId }) => emailId), companyId, ...all.map(({ invoiceId }) => invoiceId)],
  );
  return (emailId) => {
    const email = found.find(({ id }) => id === emailId);
    if (email !== undefined) return email as LockedEmail & OfInvoice;
    const invoiceId = wanted.find((one) => one.emailId === emailId)?.invoiceId;
    throw new NotFound(found.some(({ ofInvoice }) => ofInvoice === invoiceId) ? 'e-mail' : 'invoice');
  };
}
