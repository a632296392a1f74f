/** What the rest of the program may use of this feature. */
export { PaymentLink } from './PaymentLink';
export { createPaymentLink } from './createPaymentLink';
export { linkFacts, paymentLinkEvents } from './events';
export { expirePaymentLinks } from './expirePaymentLinks';
export { findGatewayRules, GatewayCallback, GatewayLinkStatus, gatewayRules, HeaderProof } from './gateways';
export { linkStatus } from './gateways/xendit';
export { nextPoll, pollPaymentLinks } from './pollPaymentLinks';
export { linksQuery, type LinksRequest, listPaymentLinks, presentLink } from './record';
export { syncOpenLinks } from './syncOpenLinks';
export { syncPaymentLink } from './syncPaymentLink';
export { asksForDue, openLinkUrl, usableLink } from './usableLink';
