import { inStatements } from './Migration';

/** Adds the caller's own id of a client, compared byte for byte. `INSTANT` changes no row, and the key is built while clients are written. */
export default inStatements({
  up: [
    'ALTER TABLE clients ADD COLUMN externalId VARBINARY(400) NULL, ALGORITHM=INSTANT',
    'ALTER TABLE clients ADD UNIQUE KEY clients_external (companyId, externalId), ALGORITHM=INPLACE, LOCK=NONE',
  ],
  down: ['ALTER TABLE clients DROP KEY clients_external, DROP COLUMN externalId'],
});
