import { ConfigurationError } from '../../../config/ConfigurationError';
import { broken, type Finding, ok } from '../../../shared/engine/checks';
import { isMissingTable, type Sql } from '../../../shared/engine/db';
import { confirmStore, type FileStore, namedStore } from '../../../shared/engine/files';

/** Checks that the store is the one that MySQL names, as every process does when it starts. Adopts none. */
export async function checkIdentity(store: FileStore, sql: Sql): Promise<Finding> {
  const storeId = await nameBeforeMigrations(sql);
  if (storeId === null) return ok(`no process has started yet; the first one makes ${store.place} the installation's`);
  try {
    await confirmStore(store, storeId);
    return ok(`${store.place} is the installation's`);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return broken(error.problems.join('. '), 'Mount the right volume, correct the variables, or adopt this store.');
  }
}

async function nameBeforeMigrations(sql: Sql): Promise<string | null> {
  try {
    return await namedStore(sql);
  } catch (error) {
    if (isMissingTable(error)) return null;
    throw error;
  }
}
