import type { Migration } from './Migration';

/** Adds when a receipt's bytes were in the file store, null until then. The index finds receipts that were never stored. */
const addStoredAt: Migration = {
  name: '20261121101000-add-stored-at',
  up: async (sql) => {
    await sql.query(`ALTER TABLE stored_files
      ADD COLUMN storedAt DATETIME(3) NULL AFTER size,
      ADD KEY stored_files_unstored (kind, storedAt, updatedAt)`);
    await sql.query('UPDATE stored_files SET storedAt = createdAt WHERE storedAt IS NULL');
  },
  down: async (sql) => {
    await sql.query('ALTER TABLE stored_files DROP KEY stored_files_unstored, DROP COLUMN storedAt');
  },
};

export default addStoredAt;
