import { addColumns } from './Migration';

/** Adds the payment provider of a company. Null for the installation's default. */
export default addColumns('companies', { gatewayProvider: 'VARCHAR(32) CHARACTER SET ascii NULL' });
