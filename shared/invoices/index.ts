/** What the rest of the program may use of this feature. */
export { Invoice } from './Invoice';
export { checkInvoiceBody, createInvoice } from './createInvoice';
export { expireUnwantedLinks, mustNotBePaid } from './expireUnwantedLinks';
export { invoicePdf, pdfFileKey, renderedPdf, type RenderedPdf } from './invoicePdf';
export { invoiceTotals } from './invoiceTotals';
export { type LoadedDocument, loadInvoiceDocument } from './loadInvoiceDocument';
export { findLocked, lockInvoice } from './lockInvoice';
export { markOverdue, previewOverdue } from './markOverdue';
export { markSent, moveInvoice } from './moveInvoice';
export { partiesOf } from './parties';
export {
  getInvoice,
  invoice,
  type InvoiceInput,
  invoiceKind,
  invoiceList,
  type InvoiceRecord,
  presentInvoice,
  presentInvoiceInList,
} from './record';
export { recurringInvoices } from './recurringInvoices';
export { type RenderInvoicePdf } from './renderInvoicePdf';
export { invoiceRules } from './rules';
export { invoiceStatus, type InvoiceStatus } from './statuses';
export { deleteInvoice, updateInvoice } from './updateInvoice';
