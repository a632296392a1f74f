/** What the rest of the program may use of this feature. */
export { type EmailStatus } from './Email';
export { emailEvents } from './events';
export { checkSendable, requestInvoiceEmail } from './requestInvoiceEmail';
export { sendInvoiceEmail, type SendInvoiceEmailResult } from './sendInvoiceEmail';
export { settleEmail, type SettleOutcome, settleOutcomes } from './settleEmail';
