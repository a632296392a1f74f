/** E-mails of invoices: requests, reports of the mail provider, statuses, lists and removal. */
export { emailOccurrences } from './emailOccurrences';
export { EmailReports } from './EmailReports';
export { toEmailError } from './EmailError';
export { lockEmail, lockEmailsOfInvoices } from './lockEmail';
export { type EmailMove, moveEmail, moveEmails } from './moveEmail';
export { MAX_EVENTS, readSendGridEvents, REPORTS_KEPT_MS, sendGridCheck } from './providers/sendgrid';
export { type EmailsRequest, emailsQuery, getEmail, listEmails, presentEmail } from './record';
export { recordReminderSkipped, type Reminder, remindersOf, type SkipReason, skipReasons } from './reminderOf';
export { type EmailKind } from './statuses';
export { removeOldEmails } from './removeOldEmails';
export { addressesOf, type EmailRequest, emailRequest } from './recipients';
export {
  checkEmailable,
  clientAddress,
  type RequestedEmail,
  requestCreditNoteEmail,
  requestInvoiceEmail,
  senderOf,
} from './requestInvoiceEmail';
export { sendCreditNoteEmail } from './sendCreditNoteEmail';
export { sendInvoiceEmail, type SendInvoiceEmailResult } from './sendInvoiceEmail';
export { settleEmail, type SettleOutcome, settleOutcomes } from './settleEmail';
