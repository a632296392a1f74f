/** What an invoice's reader gets: its document, loaded from the records, and its PDF, rendered once and kept. */
export { loadCreditNoteDocument } from './loadCreditNoteDocument';
export { creditNotePdf, invoicePdf, isQueued, type Pdf, pdfFileKey, type RenderedPdf, renderedPdf } from './invoicePdf';
export {
  type LoadedDocument,
  loadInvoiceDocument,
  loadInvoiceDocuments,
  loadPageDocument,
} from './loadInvoiceDocument';
export { type RenderInvoicePdf } from './renderInvoicePdf';
