import type { Migration } from './Migration';

/** Adds how a company numbers its credit notes. */
const addCreditNoteNumberFormat: Migration = {
  name: '20261124151000-add-credit-note-number-format',
  up: async (sql) => {
    await sql.query(`ALTER TABLE companies
      ADD COLUMN creditNoteNumberFormat VARCHAR(50) NOT NULL DEFAULT 'CN-{YYYY}-{SEQ:5}', ALGORITHM=INSTANT`);
  },
  down: async (sql) => {
    await sql.query('ALTER TABLE companies DROP COLUMN creditNoteNumberFormat');
  },
};

export default addCreditNoteNumberFormat;
