import { findLocked, markSent } from '../invoices';
import { fromSqlTime, toSqlTime, type UnitOfWork } from '../engine/db';
import { lockEmail, type LockedEmail } from './lockEmail';
import { type Entered, moveEmail } from './moveEmail';
import { addressesOf } from './recipients';
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
  const copies = addressesOf(email.cc?.toLowerCase() ?? null);
  for (const report of reports) if (await isNew(uow, report)) news.push(withoutCopies(report, copies));
  if (news.length === 0) return;
  const providerMessageId =
    email.providerMessageId ?? news.find((report) => report.providerMessageId !== null)?.providerMessageId ?? null;
  const moved = { emailId, invoiceId, recipient: email.recipient, kind: email.kind };
  const entered: Entered[] = [];
  let state = stateOf(email);
  const wasAccepted = state.sentAt !== null;
  if (!wasAccepted) entered.push(['sent', { providerMessageId }]);
  for (const report of news) {
    const before = state.sentAt === null ? 'sent' : state.status;
    state = afterReport(state, report, { attemptedAt: timeOf(email.attemptedAt), now: uow.now });
    if (state.status !== before) entered.push([state.status, state]);
  }
  const { status, ...changes } = state;
  await moveEmail(uow, moved, status, { ...changes, providerMessageId }, {}, entered);
  if (wasAccepted) return;
  if (invoice !== null && !invoice.softDelete) await markSent(uow, invoice);
  await settleJob(uow, { ...email, providerMessageId }, null);
}

/** Of those who get a copy only counts that the provider has accepted the message: the status is about who it goes to. */
function withoutCopies(report: EmailReport, copies: readonly string[]): EmailReport {
  const isCopy = report.address !== null && copies.includes(report.address.toLowerCase());
  return isCopy ? { ...report, kind: 'accepted', error: null } : report;
}

async function isNew({ sql, companyId, now }: UnitOfWork, { id }: EmailReport): Promise<boolean> {
  const { affectedRows } = await sql.run(
    'INSERT IGNORE INTO email_reports (companyId, reportId, createdAt) VALUES (?, ?, ?)',
    [companyId, id, toSqlTime(now)],
  );
  return affectedRows > 0;
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
