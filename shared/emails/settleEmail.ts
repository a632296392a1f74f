import { findLocked, markSent } from '../invoices';
import { toSqlTime } from '../kernel/database/sql';
import type { UnitOfWork } from '../kernel/database/unitOfWork';
import { Conflict, EmailUnavailable, NotFound } from '../kernel/errors';
import { recordEvent } from '../kernel/events/recordEvent';
import { toJobError } from '../kernel/jobs/getJob';
import type { EmailStatus } from './Email';
import { emailEvents } from './events';
import { sendInvoiceEmail, type SendInvoiceEmailResult } from './sendInvoiceEmail';

/** What became of a message whose delivery was uncertain. */
export const settleOutcomes = ['sent', 'not_sent'] as const;
export type SettleOutcome = (typeof settleOutcomes)[number];

/** A settled e-mail. */
export interface SettledEmail {
  id: number;
  companyId: number;
  invoiceId: number;
  /** Of the job that was to send it; null once the clean-up has removed it. */
  jobId: number | null;
  status: 'sent' | 'failed';
}

/**
 * Records what an operator or the provider has found out about an uncertain e-mail. `sent`: a draft becomes `sent`, and the job is
 * done. `not_sent`: the e-mail and its job have failed; the job can be retried, and sends it then.
 * @throws {NotFound}; {@link Conflict} `email_not_uncertain`.
 */
export async function settleEmail(uow: UnitOfWork, emailId: number, outcome: SettleOutcome): Promise<SettledEmail> {
  const { companyId, sql } = uow;
  const found = await sql.rows<{ invoiceId: number }>('SELECT invoiceId FROM emails WHERE companyId = ? AND id = ?', [
    companyId,
    emailId,
  ]);
  const invoiceId = found[0]?.invoiceId;
  if (invoiceId === undefined) throw new NotFound('e-mail');
  // First the invoice, as everywhere.
  const invoice = await findLocked(uow, invoiceId);
  const [email] = await sql.rows<EmailRow>(
    'SELECT status, messageId, attemptedAt FROM emails WHERE companyId = ? AND id = ? FOR UPDATE',
    [companyId, emailId],
  );
  if (email?.status !== 'uncertain') {
    throw new Conflict('email_not_uncertain', `e-mail ${emailId} is ${email?.status ?? 'gone'}, not uncertain`);
  }
  const { messageId, attemptedAt } = email;
  const wasSent = outcome === 'sent';
  const now = toSqlTime(uow.now);
  const status = wasSent ? 'sent' : 'failed';
  await sql.run('UPDATE emails SET status = ?, sentAt = ?, updatedAt = ? WHERE companyId = ? AND id = ?', [
    ...[status, wasSent ? (attemptedAt ?? now) : null, now],
    ...[companyId, emailId],
  ]);
  if (wasSent) await recordEvent(uow, emailEvents.sent, invoiceId, { emailId, providerMessageId: null });
  else await recordEvent(uow, emailEvents.failed, invoiceId, { emailId });
  if (wasSent && invoice !== null && !invoice.softDelete) await markSent(uow, invoice);
  return { id: emailId, companyId, invoiceId, jobId: await settleJob(uow, emailId, outcome, messageId), status };
}

interface EmailRow {
  status: EmailStatus;
  messageId: string;
  attemptedAt: string | null;
}

/** Ends the job as its e-mail has ended. A request that asks for it under its Idempotency-Key gets the new end. */
async function settleJob(
  { sql, companyId, now }: UnitOfWork,
  emailId: number,
  outcome: SettleOutcome,
  messageId: string,
): Promise<number | null> {
  const [job] = await sql.rows<{ id: number }>(
    `SELECT id FROM jobs WHERE companyId = ? AND name = ? AND status = 'uncertain'
        AND CAST(JSON_EXTRACT(payload, '$.emailId') AS UNSIGNED) = ? FOR UPDATE`,
    [companyId, sendInvoiceEmail.name, emailId],
  );
  if (job === undefined) return null;
  // The provider's id of the message is not known.
  const result: SendInvoiceEmailResult = { emailId: messageId };
  const error = toJobError(new EmailUnavailable('the message was not sent, as was found out later'));
  const [status, ended, failure, code] =
    outcome === 'sent'
      ? ['done', JSON.stringify(result), null, null]
      : ['failed', null, JSON.stringify(error), error.code];
  await sql.run(
    'UPDATE jobs SET status = ?, result = ?, lastError = ?, errorCode = ?, updatedAt = ? WHERE companyId = ? AND id = ?',
    [status, ended, failure, code, toSqlTime(now), companyId, job.id],
  );
  return job.id;
}
