import { findLocked, markSent } from '../invoices';
import { fromSqlTime, type UnitOfWork } from '../engine/db';
import { Conflict, EmailUnavailable, NotFound } from '../engine/errors';
import { toEmailError } from './EmailError';
import { lockEmail } from './lockEmail';
import { moveEmail } from './moveEmail';
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
  const settled = { id: emailId, companyId, invoiceId };
  const moved = { emailId, invoiceId, recipient: email.recipient, kind: email.kind };
  if (outcome === 'sent') {
    const sentAt = email.attemptedAt === null ? uow.now : fromSqlTime(email.attemptedAt);
    await moveEmail(uow, moved, 'sent', { sentAt, error: null });
    if (invoice !== null && !invoice.softDelete) await markSent(uow, invoice);
    return { ...settled, jobId: await settleJob(uow, email, null), status: 'sent' };
  }
  const reason = new EmailUnavailable('the message was not sent, as was found out later');
  await moveEmail(uow, moved, 'failed', { sentAt: null, error: toEmailError(reason) });
  return { ...settled, jobId: await settleJob(uow, email, reason), status: 'failed' };
}
