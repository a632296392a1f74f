import { findLocked, markSent } from '../invoices';
import { toSqlTime } from '../kernel/database/sql';
import type { UnitOfWork } from '../kernel/database/unitOfWork';
import { Conflict, EmailUnavailable, NotFound } from '../kernel/errors';
import { recordEvent } from '../kernel/events/recordEvent';
import { toEmailError } from './EmailError';
import { emailEvents } from './events';
import { lockEmail } from './lockEmail';
import { settleJob } from './settleJob';

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
 * Records what a person has found out about an uncertain e-mail. `sent`: a draft becomes `sent`, and the job is done. `not_sent`:
 * the e-mail and its job have failed; the job can be retried, and sends it then.
 * @param ofInvoice the invoice that the e-mail has to be of, if one is named
 * @throws {NotFound}; {@link Conflict} `email_not_uncertain`.
 */
export async function settleEmail(
  uow: UnitOfWork,
  emailId: number,
  outcome: SettleOutcome,
  ofInvoice?: number,
): Promise<SettledEmail> {
  const { companyId, sql } = uow;
  const [found] = await sql.rows<{ invoiceId: number }>('SELECT invoiceId FROM emails WHERE companyId = ? AND id = ?', [
    companyId,
    emailId,
  ]);
  if (found === undefined || (ofInvoice !== undefined && found.invoiceId !== ofInvoice)) throw new NotFound('e-mail');
  const { invoiceId } = found;
  // First the invoice, as everywhere.
  const invoice = await findLocked(uow, invoiceId);
  const email = await lockEmail(uow, emailId);
  if (email?.status !== 'uncertain') {
    throw new Conflict('email_not_uncertain', `e-mail ${emailId} is ${email?.status ?? 'gone'}, not uncertain`);
  }
  const now = toSqlTime(uow.now);
  const to = email.recipient;
  const settled = { id: emailId, companyId, invoiceId };
  if (outcome === 'sent') {
    await sql.run(
      `UPDATE emails SET status = 'sent', sentAt = ?, errorCode = NULL, errorMessage = NULL, updatedAt = ?
        WHERE companyId = ? AND id = ?`,
      [email.attemptedAt ?? now, now, companyId, emailId],
    );
    await recordEvent(uow, emailEvents.sent, invoiceId, { emailId, to, providerMessageId: null });
    if (invoice !== null && !invoice.softDelete) await markSent(uow, invoice);
    return { ...settled, jobId: await settleJob(uow, email, null), status: 'sent' };
  }
  const reason = new EmailUnavailable('the message was not sent, as was found out later');
  const error = toEmailError(reason);
  await sql.run(
    `UPDATE emails SET status = 'failed', sentAt = NULL, errorCode = ?, errorMessage = ?, updatedAt = ?
      WHERE companyId = ? AND id = ?`,
    [error.code, error.message, now, companyId, emailId],
  );
  await recordEvent(uow, emailEvents.failed, invoiceId, { emailId, to, error });
  return { ...settled, jobId: await settleJob(uow, email, reason), status: 'failed' };
}
