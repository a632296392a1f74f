import { addColumns } from './Migration';

/** Adds where a company's clients transfer money to, as its documents print it. Null for none. */
export default addColumns('companies', { paymentInstructions: 'VARCHAR(1000) NULL' });
