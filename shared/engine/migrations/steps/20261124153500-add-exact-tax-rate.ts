import { inStatements } from './Migration';

/** Adds the rates that have more than two decimals: widening `taxRate` would copy the table (see `taxRateColumns`). */
export default inStatements({
  up: ['ALTER TABLE invoices ADD COLUMN exactTaxRate VARCHAR(8) CHARACTER SET ascii NULL, ALGORITHM=INSTANT'],
  down: ['ALTER TABLE invoices DROP COLUMN exactTaxRate'],
});
