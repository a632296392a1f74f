import { broken, type Finding, ok, warning } from '../../../shared/engine/checks';
import { compareMigrations } from '../../../shared/engine/migrations';
import type { Sql } from '../../../shared/engine/db';

/** Checks that the schema is that of this version. */
export async function checkMigrations(sql: Sql): Promise<Finding> {
  const { done, pending, unknown } = await compareMigrations(sql);
  if (pending.length > 0) {
    return broken(
      `${pending.length} migrations have not run, the first is ${pending[0]}`,
      'Run `npm run -s cli -- migrate up` with this version.',
    );
  }
  if (unknown.length > 0) {
    return warning(
      `a newer version has migrated the database (${unknown.join(', ')})`,
      'Complete the upgrade: run the newer version everywhere.',
    );
  }
  return ok(`all ${done.length} migrations have run`);
}
