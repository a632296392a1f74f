/** The page of an invoice for its reader: who has the address may see it and pay. */
export { linkToPage, pageAddress, pagePath, pageToken, revokePage, tokenOfPage } from './hostedPage';
