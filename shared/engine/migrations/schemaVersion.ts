import { ServiceUnavailable } from '../errors';
import { isMissingTable, type Sql } from '../db';
import { migrations } from './steps';

/** The migrations that have run, those of this version that have not, and those that this version does not know. */
export interface MigrationComparison {
  readonly done: readonly string[];
  readonly pending: readonly string[];
  readonly unknown: readonly string[];
}

/** Compares the schema with this version. It only reads: it creates no table and takes no lock. */
export async function compareMigrations(sql: Sql): Promise<MigrationComparison> {
  const names = migrations.map(({ name }) => name);
  const done = await namesDone(sql);
  return {
    done,
    pending: names.filter((name) => !done.includes(name)),
    unknown: done.filter((name) => !names.includes(name)),
  };
}

async function namesDone(sql: Sql): Promise<string[]> {
  try {
    const rows = await sql.rows<{ name: string }>('SELECT name FROM schema_migrations ORDER BY name');
    return rows.map(({ name }) => name);
  } catch (error) {
    if (isMissingTable(error)) return [];
    throw error;
  }
}

/**
 * Checks that this version can work on the schema: its newest migration has run.
 * @throws {ServiceUnavailable} when it has not, or MySQL is unreachable.
 */
export async function checkSchema(sql: Sql): Promise<void> {
  const done = await namesDone(sql).catch((error: unknown) =>
    Promise.reject(new ServiceUnavailable('the database', error)),
  );
  if (!done.includes(newestMigration())) {
    throw new ServiceUnavailable('the database', undefined, 'lacks the newest schema (run the migrations)');
  }
}

/** Returns the name of the newest migration. The code works only on a database on which it has run. */
export function newestMigration(): string {
  return migrations[migrations.length - 1]?.name ?? '';
}
