import type { Migration } from './Migration';

/** Adds which credit note of the invoice an e-mail brings; null for every other kind. */
const addEmailCreditNote: Migration = {
  name: '20261124151100-add-email-credit-note',
  up: async (sql) => {
    await sql.query('ALTER TABLE emails ADD COLUMN creditNoteId BIGINT UNSIGNED NULL, ALGORITHM=INSTANT');
  },
  down: async (sql) => {
    await sql.query('ALTER TABLE emails DROP COLUMN creditNoteId');
  },
};

export default addEmailCreditNote;
