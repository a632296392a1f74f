/** What the rest of the program may use of this feature. */
export { EmailReports } from './EmailReports';
export { toEmailError } from './EmailError';
export { emailEvents } from './events';
export { lockEmail } from './lockEmail';
export { MAX_EVENTS, readSendGridEvents, REPORTS_KEPT_MS, sendGridCheck } from './providers/sendgrid';
export { type EmailsRequest, emailsQuery, getEmail, listEmails, presentEmail } from './record';
export { checkSendable, requestInvoiceEmail } from './requestInvoiceEmail';
export { sendInvoiceEmail, type SendInvoiceEmailResult } from './sendInvoiceEmail';
export { settleEmail, type SettleOutcome, settleOutcomes } from './settleEmail';
