/** Payments: recorded by hand or from callbacks, voided and listed. */
export { GatewayCallbacks } from './GatewayCallbacks';
export {
  listPayments,
  newPaymentBody,
  paymentBatches,
  type PaymentInput,
  paymentsPage,
  paymentsQuery,
  type PaymentsRequest,
  presentPayment,
} from './record';
export { recordGatewayPayment } from './recordGatewayPayment';
export { recordManualPayment } from './recordManualPayment';
export { checkNoneProcessing, checkPayable, providerOf, requestPaymentLink } from './requestPaymentLink';
export { voidPayment } from './voidPayment';
