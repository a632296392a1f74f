import type { Migration } from './Migration';

/** Adds where a company's clients transfer money to, as its documents print it. Null for none. */
const addPaymentInstructions: Migration = {
  name: '20261124153600-add-payment-instructions',
  up: async (sql) => {
    await sql.query('ALTER TABLE companies ADD COLUMN paymentInstructions VARCHAR(1000) NULL, ALGORITHM=INSTANT');
  },
  down: async (sql) => {
    await sql.query('ALTER TABLE companies DROP COLUMN paymentInstructions');
  },
};

export default addPaymentInstructions;
