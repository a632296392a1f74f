import type { Migration } from './Migration';

/** Adds the payment provider of a company. Null for the installation's default. */
const addGatewayProvider: Migration = {
  name: '20261124091000-add-gateway-provider',
  up: async (sql) => {
    await sql.query(
      'ALTER TABLE companies ADD COLUMN gatewayProvider VARCHAR(32) CHARACTER SET ascii NULL, ALGORITHM=INSTANT',
    );
  },
  down: async (sql) => {
    await sql.query('ALTER TABLE companies DROP COLUMN gatewayProvider');
  },
};

export default addGatewayProvider;
