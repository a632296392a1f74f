import { randomUUID } from 'node:crypto';
import { ConfigurationError } from '../../../config/ConfigurationError';
import { type InstallationWork, type Sql, toSqlTime } from '../db';
import type { FileStore } from './FileStore';

/** A small file in every store, which contains its id. MySQL names the id of the installation's store. */
export const MARKER = 'store-id';

/**
 * Compares the store with the one that MySQL names and returns its id. If MySQL names none, this store becomes the
 * installation's: the first process decides.
 * @throws {ConfigurationError} for another store; the message names it and says what to do.
 */
export async function checkStoreIdentity(
  sql: Sql,
  files: FileStore,
  perform: (work: (work: InstallationWork) => Promise<string>) => Promise<string>,
): Promise<string> {
  const expected =
    (await namedStore(sql)) ?? (await perform(async (work) => (await lockName(work)) ?? nameAfter(work, files)));
  await confirmStore(files, expected);
  return expected;
}

/** Returns the id of the store that MySQL names, or null before the first process has started. */
export async function namedStore(sql: Sql, lock: '' | 'FOR UPDATE' = ''): Promise<string | null> {
  const [row] = await sql.rows<{ storeId: string | null }>(`SELECT storeId FROM file_store WHERE id = 1 ${lock}`);
  return row?.storeId ?? null;
}

/** @throws {ConfigurationError} when the store does not have this id. */
export async function confirmStore(files: FileStore, storeId: string): Promise<void> {
  const found = await readMarker(files);
  if (found !== storeId) throw wrongStore(files.place, found);
}

/**
 * Makes this store the installation's, whichever MySQL named before; that one's id is `replaced`, null for none. A store without an id gets
 * a new one.
 */
export async function adoptStore(
  work: InstallationWork,
  files: FileStore,
): Promise<{ store: string; storeId: string; replaced: string | null }> {
  const replaced = await lockName(work);
  return { store: files.place, storeId: await nameAfter(work, files), replaced };
}

/** Locks the row of the name, so that of several processes that start at the same time only the first decides. Returns the name, or null. */
async function lockName({ sql, now }: InstallationWork): Promise<string | null> {
  const row = 'INSERT INTO file_store (id, storeId, updatedAt) VALUES (1, NULL, ?) ON DUPLICATE KEY UPDATE id = id';
  await sql.run(row, [toSqlTime(now)]);
  return namedStore(sql, 'FOR UPDATE');
}

/** Writes the marker file before MySQL names its id. In the other order, a crash in between would make every store a wrong one. */
async function nameAfter({ sql, now }: InstallationWork, files: FileStore): Promise<string> {
  const known = await readMarker(files);
  const storeId = known ?? randomUUID();
  if (known === null) {
    await files.create();
    await files.put(MARKER, Buffer.from(`${storeId}\n`));
  }
  await sql.run('UPDATE file_store SET storeId = ?, updatedAt = ? WHERE id = 1', [storeId, toSqlTime(now)]);
  return storeId;
}

/** Returns the store's id, or null for a missing or invalid marker file. */
async function readMarker(files: FileStore): Promise<string | null> {
  const text = (await files.get(MARKER))?.toString('latin1').trim() ?? '';
  return /^[0-9a-f-]{36}$/.test(text) ? text : null;
}

function wrongStore(place: string, found: string | null): ConfigurationError {
  const why = found === null ? `it has no file "${MARKER}"` : `its file "${MARKER}" is another installation's`;
  return new ConfigurationError([
    `${place} is not the file store of this installation: ${why}. The API and all workers must see the same store: ` +
      'check FILES_STORE, FILES_DIR or the S3_… variables, and that the volume is mounted. ' +
      'If it is the right one, after a restore or a move: npm run -s cli -- files adopt',
  ]);
}
