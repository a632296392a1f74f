/** What the rest of the program may use of this feature. */
export { EmailReports } from './EmailReports';
export { toEmailError } from './EmailError';
export { lockEmail } from './lockEmail';
export { moveEmail } from './moveEmail';
export { MAX_EVENTS, readSendGridEvents, REPORTS_KEPT_MS, sendGridCheck } from './providers/sendgrid';
export { type EmailsRequest, emailsQuery, getEmail, listEmails, presentEmail } from './record';
export { removeOldEmails } from './removeOldEmails';
export { checkSendable, requestInvoiceEmail } from './requestInvoiceEmail';
export { sendInvoiceEmail, type SendInvoiceEmailResult } from './sendInvoiceEmail';
export { settleEmail, type SettleOutcome, settleOutcomes } from './settleEmail';
