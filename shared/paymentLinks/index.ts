/** Payment links: made and expired at the gateways, and kept in step with them. */
export { PaymentLink, type PaymentLinkStatus } from './PaymentLink';
export { createPaymentLink } from './createPaymentLink';
export { linkFacts, paymentLinkEvents } from './events';
export { expirePaymentLinks } from './expirePaymentLinks';
export {
  findGatewayRules,
  type GatewayCallback,
  type GatewayLinkStatus,
  gatewayRules,
  type HeaderProof,
  type LinkCallback,
  payableOnline,
} from './gateways';
export { fromStripeUnits, toStripeUnits } from './gateways/stripeAmounts';
export { linkStatus } from './gateways/xendit';
export { nextPoll, pollPaymentLinks } from './pollPaymentLinks';
export { isPaymentProcessing, isProcessingSql } from './processingLink';
export { linksQuery, type LinksRequest, listPaymentLinks, presentLink } from './record';
export { syncOpenLinks } from './syncOpenLinks';
export { syncPaymentLink } from './syncPaymentLink';
export { isForDue, openLinkUrl, usableLink, usableLinkUrl } from './usableLink';
