/** The public page of an invoice: everybody who has its address may read it and pay. */
export { pageAddress, pagePath, pageToken, revokePage, tokenOfPage, tokensOfPages } from './hostedPage';
