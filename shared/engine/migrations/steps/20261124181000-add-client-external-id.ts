import { addColumns, addKeys, inTurn } from './Migration';

/** Adds the caller's own id of a client, compared byte for byte. */
export default inTurn(
  addColumns('clients', { externalId: 'VARBINARY(400) NULL' }),
  addKeys('clients', { clients_external: 'companyId, externalId' }, 'UNIQUE KEY'),
);
