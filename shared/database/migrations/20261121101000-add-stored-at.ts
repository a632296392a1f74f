import type { Migration } from './Migration';

/** Null until the bytes of a receipt are in the file store; the index finds those that never got there. */
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
