import { randomBytes } from 'node:crypto';
import { broken, type Finding, ok, warning } from '../../../shared/engine/checks';
import { isAccessDenied, isMissingTable, type Sql } from '../../../shared/engine/db';

/** Each needs its privilege, and finds no row to change. */
const reading = {
  SELECT: 'SELECT name FROM schema_migrations WHERE FALSE',
  INSERT: 'INSERT INTO schema_migrations (name) SELECT name FROM schema_migrations WHERE FALSE',
  UPDATE: 'UPDATE schema_migrations SET name = name WHERE FALSE',
  DELETE: 'DELETE FROM schema_migrations WHERE FALSE',
};

/**
 * Checks by trying that the account may read and write, and that it may change the schema. The latter makes a table
 * `doctor_probe_…` and drops it.
 */
export async function checkPrivileges(sql: Sql): Promise<Finding> {
  const missing = await denied(sql, reading);
  if (missing.length > 0) {
    return broken(
      `the account lacks ${missing.join(', ')}`,
      `GRANT ${missing.join(', ')} on the database to the user of DATABASE_URL.`,
    );
  }
  const missingDdl = await deniedDdl(sql);
  if (missingDdl.length === 0) return ok('the account may read, write and migrate');
  return warning(
    `the account may read and write, but lacks ${missingDdl.join(', ')}: it cannot run migrations`,
    'Run `migrate up` with an account that may, or GRANT these privileges on the database to the user of DATABASE_URL.',
  );
}

/** The order leaves no table behind: without DROP none is created. */
async function deniedDdl(sql: Sql): Promise<string[]> {
  const table = `doctor_probe_${randomBytes(6).toString('hex')}`;
  const drop = { DROP: `DROP TABLE IF EXISTS ${table}` };
  const create = { CREATE: `CREATE TABLE ${table} (id INT NOT NULL PRIMARY KEY, parentId INT NULL)` };
  for (const statement of [drop, create]) {
    const missing = await denied(sql, statement);
    if (missing.length > 0) return missing;
  }
  try {
    return await denied(sql, {
      ALTER: `ALTER TABLE ${table} ADD COLUMN note INT NULL`,
      INDEX: `CREATE INDEX ${table}_parent ON ${table} (parentId)`,
      REFERENCES: `ALTER TABLE ${table} ADD CONSTRAINT ${table}_fk FOREIGN KEY (parentId) REFERENCES ${table} (id)`,
    });
  } finally {
    await sql.run(drop.DROP);
  }
}

/** Runs the statements in turn. Returns the names of those that the account may not run. */
async function denied(sql: Sql, statements: Readonly<Record<string, string>>): Promise<string[]> {
  const missing: string[] = [];
  for (const [privilege, statement] of Object.entries(statements)) {
    try {
      await sql.run(statement);
    } catch (error) {
      // Before the first migration there is no table to try with.
      if (isMissingTable(error)) continue;
      if (!isAccessDenied(error)) throw error;
      missing.push(privilege);
    }
  }
  return missing;
}
