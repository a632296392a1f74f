import { findLocked, markSent } from '../invoices';
import { fromSqlTime, toSqlTime } from '../kernel/database/sql';
import type { UnitOfWork } from '../kernel/database/unitOfWork';
import { happened, recordAll, type Happening } from '../kernel/events/recordEvent';
import { emailEvents } from './events';
import { lockEmail, type LockedEmail } from './lockEmail';
import { afterReport, type EmailReport, type EmailState } from './reportRules';
import { settleJob } from './settleJob';

/**
 * Records what the mail provider reports of one e-mail, each report once. The first report of a message settles it if it was not
 * known to be accepted: a draft becomes `sent`, and an uncertain job is done.
 */
export async function recordReports(
  uow: UnitOfWork,
  { emailId, invoiceId }: { emailId: number; invoiceId: number },
  reports: readonly EmailReport[],
): Promise<void> {
  // First the invoice, as everywhere.
  const invoice = await findLocked(uow, invoiceId);
  const email = await lockEmail(uow, emailId);
  if (email === null) return;
  const news: EmailReport[] = [];
  for (const report of reports) if (await isNew(uow, report)) news.push(report);
  if (news.length === 0) return;
  const providerMessageId =
    email.providerMessageId ?? news.find((report) => report.providerMessageId !== null)?.providerMessageId ?? null;
  const happenings: Happening[] = [];
  const event = { emailId, to: email.recipient };
  let state = stateOf(email);
  const wasAccepted = state.sentAt !== null;
  if (!wasAccepted) happenings.push(happened(emailEvents.sent, invoiceId, { ...event, providerMessageId }));
  for (const report of news) {
    const before = state.sentAt === null ? 'sent' : state.status;
    state = afterReport(state, report, { attemptedAt: timeOf(email.attemptedAt), now: uow.now });
    if (state.status !== before) happenings.push(entered(state, invoiceId, event));
  }
  await save(uow, emailId, state, providerMessageId);
  await recordAll(uow, happenings);
  if (wasAccepted) return;
  if (invoice !== null && !invoice.softDelete) await markSent(uow, invoice);
  await settleJob(uow, { ...email, providerMessageId }, null);
}

async function isNew({ sql, companyId, now }: UnitOfWork, { id }: EmailReport): Promise<boolean> {
  const { affectedRows } = await sql.run(
    'INSERT IGNORE INTO email_reports (companyId, reportId, createdAt) VALUES (?, ?, ?)',
    [companyId, id, toSqlTime(now)],
  );
  return affectedRows > 0;
}

/** Returns the event of the status that the e-mail has entered. */
function entered({ status, error }: EmailState, invoiceId: number, event: { emailId: number; to: string }): Happening {
  if (status === 'delivered') return happened(emailEvents.delivered, invoiceId, event);
  if (status === 'complained') return happened(emailEvents.complained, invoiceId, event);
  const type = status === 'bounced' ? emailEvents.bounced : emailEvents.failed;
  return happened(type, invoiceId, { ...event, error: error ?? { code: status, message: 'no reason was given' } });
}

async function save(
  { sql, companyId, now }: UnitOfWork,
  emailId: number,
  { status, sentAt, deliveredAt, openedAt, bouncedAt, error }: EmailState,
  providerMessageId: string | null,
): Promise<void> {
  await sql.run(
    `UPDATE emails SET status = ?, providerMessageId = ?, sentAt = ?, deliveredAt = ?, openedAt = ?, bouncedAt = ?,
        errorCode = ?, errorMessage = ?, updatedAt = ? WHERE companyId = ? AND id = ?`,
    [
      ...[status, providerMessageId],
      ...[sentAt, deliveredAt, openedAt, bouncedAt].map((time) => time && toSqlTime(time)),
      ...[error?.code ?? null, error?.message ?? null],
      ...[toSqlTime(now), companyId, emailId],
    ],
  );
}

function stateOf(email: LockedEmail): EmailState {
  const { status, errorCode, errorMessage } = email;
  return {
    status,
    sentAt: timeOf(email.sentAt),
    deliveredAt: timeOf(email.deliveredAt),
    openedAt: timeOf(email.openedAt),
    bouncedAt: timeOf(email.bouncedAt),
    error: errorCode === null ? null : { code: errorCode, message: errorMessage ?? '' },
  };
}

const timeOf = (sqlTime: string | null): Date | null => (sqlTime === null ? null : fromSqlTime(sqlTime));
