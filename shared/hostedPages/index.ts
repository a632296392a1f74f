/** The public page of an invoice: everybody who has its address may read it and pay. */
export { linkToPage, pageAddress, pagePath, pageToken, revokePage, tokenOfPage } from './hostedPage';
