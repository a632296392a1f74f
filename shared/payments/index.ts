/** What the rest of the program may use of this feature. */
export { GatewayCallbacks } from './GatewayCallbacks';
export { recordGatewayPayment } from './recordGatewayPayment';
export { checkPayable, requestPaymentLink } from './requestPaymentLink';
