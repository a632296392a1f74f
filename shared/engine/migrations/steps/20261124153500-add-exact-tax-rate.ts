import { addColumns } from './Migration';

/** Adds the rates that have more than two decimals: widening `taxRate` would copy the table (see `taxRateColumns`). */
export default addColumns('invoices', { exactTaxRate: 'VARCHAR(8) CHARACTER SET ascii NULL' });
