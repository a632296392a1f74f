import { inStatements } from './Migration';

/** Adds how a company numbers its credit notes. */
export default inStatements('20261124160300-add-credit-note-number-format', {
  up: [
    `ALTER TABLE companies
       ADD COLUMN creditNoteNumberFormat VARCHAR(50) NOT NULL DEFAULT 'CN-{YYYY}-{SEQ:5}', ALGORITHM=INSTANT`,
  ],
  down: ['ALTER TABLE companies DROP COLUMN creditNoteNumberFormat'],
});
