/** The look of invoices on paper, in e-mails and on the page. Depends on no feature. */
export { type InvoiceDocument, type Party, type PrintedDetails } from './InvoiceDocument';
export { buildCreditNoteDocument } from './buildCreditNoteDocument';
export { buildInvoiceDocument } from './buildInvoiceDocument';
export { contentFileName } from './contentFileName';
export { currencyDecimals } from './currencyDecimals';
export { documentKey } from './documentKey';
export type { FontSlice } from './fontCatalog';
export { renderInvoiceEmail } from './invoiceEmail';
export { invoiceBody, invoiceFrame, invoicePage, type InvoicePage, type Logo } from './invoiceHtml';
export {
  type HostedPage,
  type PageNote,
  pageLanguage,
  renderHostedPage,
  withBaseStyle,
  renderPageMessage,
} from './hostedPage';
export { isLongPrint } from './isLongPrint';
export { printOptions } from './printOptions';
export { type FontSelection, selectFonts } from './selectFonts';
export { shortened } from './shortened';
export { browserPackage } from './browserPackage';
