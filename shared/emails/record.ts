import type { Sql } from '../engine/db';
import { NotFound } from '../engine/errors';
import {
  assigned,
  extended,
  type LargePage,
  nullable,
  type Page,
  pageRequest,
  type PageRequest,
  presenter,
  readPage,
  type RecordSource,
  requireRecord,
  type RowOf,
  timestamp,
  value,
} from '../engine/records';
import { includeDeleted, line, orNull, pageQuery, recordId } from '../engine/schemas';
import { errorForClients } from '../engine/jobs';
import { emailError, printable, type EmailError } from './EmailError';
import { LONGEST_TO, shownRecipient } from './recipients';
import { emailKind, emailStatus } from './statuses';

const fields = {
  id: assigned(value(recordId)),
  kind: assigned(value(emailKind)),
  /** The address that the message was, or is to be, sent to; several have commas between. */
  to: assigned(value(line(LONGEST_TO))),
  status: assigned(value(emailStatus)),
  /** The Message-ID, without angle brackets. */
  messageId: assigned(value(line(191))),
  providerMessageId: assigned(nullable(value(line(255)))),
  jobId: assigned(nullable(value(recordId))),
  requestedAt: assigned(timestamp),
  sentAt: assigned(nullable(timestamp)),
  deliveredAt: assigned(nullable(timestamp)),
  openedAt: assigned(nullable(timestamp)),
  bouncedAt: assigned(nullable(timestamp)),
};

/** An e-mail as one statement reads it. */
export type EmailRecord = RowOf<typeof fields> & {
  errorCode: string | null;
  errorMessage: string | null;
  /** Of its job, as long as that retries. */
  lastError: string | null;
};

export const presentEmail = extended(
  presenter(fields, { title: 'Email' }),
  'Email',
  { error: orNull(emailError) },
  ({ errorCode: code, errorMessage: message, lastError }: EmailRecord) => ({
    error: code === null ? errorOfJob(lastError) : { code, message: message ?? '' },
  }),
);

function errorOfJob(lastError: string | null): EmailError | null {
  const error = errorForClients(lastError);
  return error && { code: error.code, message: printable(error.message) };
}

const ofColumn: Readonly<Record<string, string>> = { to: shownRecipient('m'), requestedAt: 'm.createdAt' };

/** As long as it is retried, its job has the error of the last attempt. */
const joins = "LEFT JOIN jobs j ON j.companyId = m.companyId AND j.id = m.jobId AND m.status IN ('queued', 'sending')";

const source: RecordSource<EmailRecord> = {
  name: 'e-mail',
  table: 'emails',
  alias: 'm',
  columns: [
    ...Object.keys(fields).map((name) => (name in ofColumn ? `${ofColumn[name]} AS \`${name}\`` : `m.${name}`)),
    ...['m.errorCode', 'm.errorMessage', 'j.lastError'],
  ].join(', '),
  joins,
};

/** The query parameters of the list. */
export const emailsQuery = pageQuery(['requestedAt', 'id'], 'requestedAt', includeDeleted);

export type EmailsRequest = PageRequest<'requestedAt' | 'id'> & { includeDeleted: boolean };

/**
 * Returns a page of the e-mails of an invoice.
 * @throws {NotFound} when the invoice is absent, another company's, or deleted (unless `includeDeleted`).
 */
export async function listEmails(
  sql: Sql,
  companyId: number,
  invoiceId: number,
  { includeDeleted, ...request }: EmailsRequest,
): Promise<Page<EmailRecord> | LargePage<EmailRecord>> {
  await requireRecord(sql, companyId, { name: 'invoice', table: 'invoices' }, invoiceId, { includeDeleted });
  const conditions = [{ text: 'm.invoiceId = ?', values: [invoiceId] }];
  // Ids are given in the order of the requests.
  return readPage(sql, companyId, { ...source, conditions }, { ...pageRequest(request), sortBy: 'id' });
}

/** @throws {NotFound} when absent, another company's, or of another invoice. */
export async function getEmail(sql: Sql, companyId: number, invoiceId: number, emailId: number): Promise<EmailRecord> {
  const [email] = await sql.rows<EmailRecord>(
    `SELECT ${source.columns} FROM emails m ${joins} WHERE m.companyId = ? AND m.id = ? AND m.invoiceId = ?`,
    [companyId, emailId, invoiceId],
  );
  if (email === undefined) throw new NotFound(source.name);
  return email;
}
