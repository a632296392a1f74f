/** Invoices: changes, numbers, totals, statuses and their calendar. */
export { Invoice } from './Invoice';
export { companyTimezone } from './companyTimezone';
export { checkDetails, invoiceDetails, type InvoiceDetailsInput, printedDetails } from './details';
export { checkInvoiceBody, createInvoice } from './createInvoice';
export { creditInvoice } from './creditInvoice';
export { expireUnwantedLinks, linksNotFor, mustNotBePaid } from './expireUnwantedLinks';
export { invoiceTotals } from './invoiceTotals';
export { findAllLocked, findLocked, lockInvoice } from './lockInvoice';
export { overdueCalendar, previewOverdue } from './overdueCalendar';
export { markSent, moveInvoice } from './moveInvoice';
export { type Parties, partiesOf } from './parties';
export {
  foldInvoices,
  getInvoice,
  invoice,
  type InvoiceInput,
  invoiceKind,
  invoiceList,
  type InvoiceRecord,
  presentInvoice,
  presentInvoiceInList,
} from './record';
export { invoiceRecurrence, type InvoiceRecurrenceChanges } from './recurrence';
export { recurringInvoices } from './recurringInvoices';
export { invoiceRules, maybeDueSql, remindedSql, remindedStatuses, statusWhenSent } from './rules';
export { invoiceStatus, type InvoiceStatus } from './statuses';
export { statusFromPayments } from './statusFromPayments';
export { taxRateSql } from './taxRate';
export { deleteInvoice, updateInvoice } from './updateInvoice';
