/** The page of an invoice for its reader: who has the address may see it and pay. */
export { findPage, type InvoiceOfPage, linkToPage, pagePath, pageToken, revokePage, tokenOfPage } from './hostedPage';
