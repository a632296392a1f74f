import { addKeys, inTurn } from './Migration';

/** Finds the link of a refund or dispute, of which a callback knows only the payment. It does not know the company. */
export default inTurn(
  addKeys('payments', { payments_by_gateway: 'gatewayId' }),
  addKeys('payment_links', { payment_links_by_gateway: 'gatewayId' }),
);
