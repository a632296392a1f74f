import type { Migration } from './Migration';

/** Adds the rates that have more than two decimals: widening `taxRate` would copy the table (see `taxRateColumns`). */
const addExactTaxRate: Migration = {
  name: '20261124153500-add-exact-tax-rate',
  up: async (sql) => {
    await sql.query(
      'ALTER TABLE invoices ADD COLUMN exactTaxRate VARCHAR(8) CHARACTER SET ascii NULL, ALGORITHM=INSTANT',
    );
  },
  down: async (sql) => {
    await sql.query('ALTER TABLE invoices DROP COLUMN exactTaxRate');
  },
};

export default addExactTaxRate;
