import { inStatements } from './Migration';

/** Adds how a company numbers its credit notes. */
export default inStatements({
  up: [
    `ALTER TABLE companies
       ADD COLUMN creditNoteNumberFormat VARCHAR(50) NOT NULL DEFAULT 'CN-{YYYY}-{SEQ:5}', ALGORITHM=INSTANT`,
  ],
  down: ['ALTER TABLE companies DROP COLUMN creditNoteNumberFormat'],
});
