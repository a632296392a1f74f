import { inStatements } from './Migration';

/** Finds the link of a refund or dispute, of which a callback knows only the payment. It does not know the company. */
export default inStatements({
  up: [
    'ALTER TABLE payments ADD KEY payments_by_gateway (gatewayId), ALGORITHM=INPLACE, LOCK=NONE',
    'ALTER TABLE payment_links ADD KEY payment_links_by_gateway (gatewayId), ALGORITHM=INPLACE, LOCK=NONE',
  ],
  down: [
    'ALTER TABLE payment_links DROP KEY payment_links_by_gateway',
    'ALTER TABLE payments DROP KEY payments_by_gateway',
  ],
});
