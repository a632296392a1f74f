import { randomUUID } from 'node:crypto';
import { ConfigurationError } from '../../config/env';
import { toSqlTime, type Sql } from '../database/sql';
import type { UnitOfWork } from '../database/unitOfWork';
import type { FileStore } from './FileStore';

/** A small file in every store: its id, which MySQL knows as the installation's. */
const MARKER = 'store-id';

/** What {@link adoptStore} did. */
export interface Adoption {
  store: string;
  storeId: string;
  /** The id before, or null. */
  replaced: string | null;
}

/**
 * Compares the store with the one that MySQL names and returns its id. Where MySQL names none, this one becomes it: the first
 * process decides.
 * @throws {ConfigurationError} for another store, saying which it is and what to do.
 */
export async function checkStoreIdentity(
  sql: Sql,
  files: FileStore,
  perform: (work: (uow: UnitOfWork) => Promise<string>) => Promise<string>,
): Promise<string> {
  const [row] = await sql.rows<{ storeId: string | null }>('SELECT storeId FROM file_store WHERE id = 1');
  const expected = row?.storeId ?? (await perform((uow) => nameFirst(uow, files)));
  await confirmStore(files, expected);
  return expected;
}

/** @throws {ConfigurationError} when the store does not have this id. */
export async function confirmStore(files: FileStore, storeId: string): Promise<void> {
  const found = await readMarker(files);
  if (found !== storeId) throw wrongStore(files.place, found);
}

/** Makes this store the installation's, whatever MySQL named before. One without an id gets a new one. */
export async function adoptStore(uow: UnitOfWork, files: FileStore): Promise<Adoption> {
  const replaced = await lockName(uow);
  return { store: files.place, storeId: await nameAfter(uow, files), replaced };
}

/** Under the row's lock: of several processes that start at once, one names the store and the others see it. */
async function nameFirst(uow: UnitOfWork, files: FileStore): Promise<string> {
  return (await lockName(uow)) ?? nameAfter(uow, files);
}

async function lockName({ sql, now }: UnitOfWork): Promise<string | null> {
  await sql.run('INSERT INTO file_store (id, storeId, updatedAt) VALUES (1, NULL, ?) ON DUPLICATE KEY UPDATE id = id', [
    toSqlTime(now),
  ]);
  const [row] = await sql.rows<{ storeId: string | null }>('SELECT storeId FROM file_store WHERE id = 1 FOR UPDATE');
  return row?.storeId ?? null;
}

/** The marker is written before MySQL knows of it: the other way round, a crash between would lock everybody out. */
async function nameAfter({ sql, now }: UnitOfWork, files: FileStore): Promise<string> {
  const known = await readMarker(files);
  const storeId = known ?? randomUUID();
  if (known === null) {
    await files.create();
    await files.put(MARKER, Buffer.from(`${storeId}\n`));
  }
  await sql.run('UPDATE file_store SET storeId = ?, updatedAt = ? WHERE id = 1', [storeId, toSqlTime(now)]);
  return storeId;
}

/** Null where there is none, or something that is no id. */
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
