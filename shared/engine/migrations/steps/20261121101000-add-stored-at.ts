import { inStatements } from './Migration';

/** Adds when a receipt's bytes were in the file store, null until then. The index finds receipts that were never stored. */
export default inStatements({
  up: [
    `ALTER TABLE stored_files
      ADD COLUMN storedAt DATETIME(3) NULL AFTER size,
      ADD KEY stored_files_unstored (kind, storedAt, updatedAt)`,
    'UPDATE stored_files SET storedAt = createdAt WHERE storedAt IS NULL',
  ],
  down: ['ALTER TABLE stored_files DROP KEY stored_files_unstored, DROP COLUMN storedAt'],
});
