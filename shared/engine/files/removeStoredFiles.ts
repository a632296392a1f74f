import { type InstallationWork, type Sql, toSqlTime, type Transactions, type UnitOfWork } from '../db';
import type { Logger } from '../log';
import type { FileStore } from './FileStore';

/** Selects the stored files to remove. */
interface Removable {
  /** The column of `stored_files` that says since when. */
  readonly since: 'updatedAt' | 'unusedSince';
  /** Further conditions on `f`. */
  readonly where: string;
  /** Files since before this time. */
  readonly before: Date;
  /** Changes other rows in the transaction that removes the row of a file of `size` bytes. */
  readonly removed?: (uow: UnitOfWork, size: number) => Promise<void>;
}

interface FoundFile {
  id: number;
  companyId: number;
  fileKey: string;
  since: string;
}

/** Rows of one statement. */
const BATCH = 100;
/** After this many failures in a row the store counts as unavailable. */
const MOST_FAILURES = 10;

/**
 * Removes files that nothing uses, with their rows, until the deadline (of `performance.now()`). Returns how many. A file that cannot be
 * removed stays with its row, and the others are removed. Safe in concurrent workers.
 * @throws the first failure, after all files were tried.
 */
export async function removeStoredFiles(
  services: Transactions & { sql: Sql; files: FileStore; log: Logger },
  removable: Removable,
  deadline: number,
): Promise<number> {
  const { since, where, before } = removable;
  const failures: unknown[] = [];
  let removed = 0;
  let failedInARow = 0;
  let from: Omit<FoundFile, 'fileKey'> = { since: '1000-01-01', companyId: 0, id: 0 };
  while (performance.now() < deadline) {
    const found = await services.sql.rows<FoundFile>(
      `SELECT f.id, f.companyId, f.fileKey, f.${since} AS since FROM stored_files f
        WHERE f.${since} >= ? AND f.${since} < ? AND ${where}
          AND (f.${since} > ? OR f.companyId > ? OR (f.companyId = ? AND f.id > ?))
        ORDER BY f.${since}, f.companyId, f.id LIMIT ${BATCH}`,
      [from.since, toSqlTime(before), from.since, from.companyId, from.companyId, from.id],
    );
    for (const file of found) {
      try {
        if (await services.performForInstallation('clean-up', (work) => removeOne(services, work, removable, file))) {
          removed++;
        }
        failedInARow = 0;
      } catch (error) {
        services.log.warn({ err: error, fileKey: file.fileKey }, 'a file that nothing uses could not be removed');
        failures.push(error);
        if (++failedInARow >= MOST_FAILURES) throw failures[0];
      }
      if (performance.now() >= deadline) break;
      from = file;
    }
    if (found.length < BATCH) break;
  }
  if (failures.length > 0) throw failures[0];
  return removed;
}

/**
 * Removes the file while the row is locked: an upload of the same content waits, and then begins with a new row. Repeating it after a
 * rollback changes nothing. The row is locked by its key, in the order in which an upload locks it: a lock taken by another index would
 * be a deadlock with the upload that waits.
 */
async function removeOne(
  { files }: { files: FileStore },
  work: InstallationWork,
  { since, where, before, removed }: Removable,
  { companyId, fileKey }: FoundFile,
): Promise<boolean> {
  const { sql } = work;
  const [found] = await sql.rows<{ id: number; size: number }>(
    `SELECT f.id, f.size FROM stored_files f
      WHERE f.companyId = ? AND f.fileKey = ? AND f.${since} < ? AND ${where} FOR UPDATE SKIP LOCKED`,
    [companyId, fileKey, toSqlTime(before)],
  );
  // A clean-up or an upload has locked it: the next clean-up tries it again.
  if (found === undefined) return false;
  await files.remove(fileKey);
  await sql.run('DELETE FROM stored_files WHERE companyId = ? AND id = ?', [companyId, found.id]);
  await removed?.(work.forCompany(companyId), found.size);
  return true;
}
