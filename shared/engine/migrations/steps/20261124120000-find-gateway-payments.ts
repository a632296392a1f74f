import type { Migration } from './Migration';

/** Finds the link of a refund or dispute, of which a callback knows only the payment. It does not know the company. */
const findGatewayPayments: Migration = {
  name: '20261124120000-find-gateway-payments',
  up: async (sql) => {
    await sql.query('ALTER TABLE payments ADD KEY payments_by_gateway (gatewayId), ALGORITHM=INPLACE, LOCK=NONE');
    await sql.query(
      'ALTER TABLE payment_links ADD KEY payment_links_by_gateway (gatewayId), ALGORITHM=INPLACE, LOCK=NONE',
    );
  },
  down: async (sql) => {
    await sql.query('ALTER TABLE payment_links DROP KEY payment_links_by_gateway');
    await sql.query('ALTER TABLE payments DROP KEY payments_by_gateway');
  },
};

export default findGatewayPayments;
