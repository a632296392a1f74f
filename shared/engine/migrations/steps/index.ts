import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Migration, SchemaChange } from './Migration';

/** The file of a migration, compiled or not: its name begins with the time of writing. */
const MIGRATION = /^(\d.*)\.[jt]s$/;

/** All migrations, in the order in which they run: that of their names. */
export const migrations: readonly Migration[] = readdirSync(__dirname)
  .flatMap((file) => MIGRATION.exec(file)?.[1] ?? [])
  .sort()
  .map((name) => {
    // eslint-disable-next-line @typescript-eslint/no-require-imports -- a list of the files would repeat their names
    const { default: change } = require(join(__dirname, name)) as { default: SchemaChange };
    return { name, ...change };
  });
