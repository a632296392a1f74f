import { inStatements } from './Migration';

/** Adds which credit note of the invoice an e-mail brings; null for every other kind. */
export default inStatements({
  up: ['ALTER TABLE emails ADD COLUMN creditNoteId BIGINT UNSIGNED NULL, ALGORITHM=INSTANT'],
  down: ['ALTER TABLE emails DROP COLUMN creditNoteId'],
});
