import { Readable } from 'node:stream';
import { toSqlTime, type UnitOfWork } from '../engine/db';
import { NotFound, ServiceUnavailable } from '../engine/errors';
import { type FileStore, removeStoredFiles } from '../engine/files';
import { ENDED_KEPT_DAYS } from '../engine/records';
import { giveRoomBack } from '../receipts';
import type { Services } from '../services';

const HOUR_MS = 3_600_000;
const KEPT_MS = ENDED_KEPT_DAYS * 24 * HOUR_MS;
/** Rows of one statement. */
const BATCH = 100;

/** Reads the file of an import in pieces. @throws {NotFound} when it was removed; {@link ServiceUnavailable}. */
export async function* readImportFile(files: FileStore, fileKey: string | null): AsyncGenerator<Buffer> {
  const file = fileKey === null ? null : await files.open(fileKey);
  if (file === null) throw new NotFound('the file of the import');
  const pieces = file.content instanceof Readable ? file.content : [file.content];
  try {
    for await (const piece of pieces) yield piece as Buffer;
  } catch (error) {
    throw new ServiceUnavailable('the file store', error);
  }
}

/** Removes the file of an import that is done. Repeating it changes nothing. */
export async function removeImportFile(files: FileStore, uow: UnitOfWork, fileId: number): Promise<void> {
  const { sql, companyId } = uow;
  const [file] = await sql.rows<{ fileKey: string; size: number }>(
    "SELECT fileKey, size FROM stored_files WHERE companyId = ? AND id = ? AND kind = 'import' FOR UPDATE",
    [companyId, fileId],
  );
  if (file === undefined) return;
  await files.remove(file.fileKey);
  await sql.run('DELETE FROM stored_files WHERE companyId = ? AND id = ?', [companyId, fileId]);
  await giveRoomBack(uow, file.size);
}

/**
 * Removes old files and imports until the deadline. After an hour: files of interrupted uploads and of imports that are done. After 30
 * days: all other files, and ended imports with their errors. Returns how many files and imports.
 * @throws as {@link removeStoredFiles} does.
 */
export async function removeOldImports(services: Services, deadline: number): Promise<number> {
  const ago = (ms: number): Date => new Date(services.clock.now().getTime() - ms);
  const done = `EXISTS (SELECT 1 FROM imports i WHERE i.companyId = f.companyId AND i.fileId = f.id AND i.status = 'done')`;
  const removeFiles = (where: string, before: Date): Promise<number> =>
    removeStoredFiles(services, { since: 'updatedAt', where, before, removed: giveRoomBack }, deadline);
  let removed = await removeFiles(`f.kind = 'import' AND (f.storedAt IS NULL OR ${done})`, ago(HOUR_MS));
  removed += await removeFiles("f.kind = 'import'", ago(KEPT_MS));
  const before = toSqlTime(ago(KEPT_MS));
  while (performance.now() < deadline) {
    const { affectedRows } = await services.sql.run(`DELETE FROM imports WHERE endedAt < ? LIMIT ${BATCH}`, [before]);
    removed += affectedRows;
    if (affectedRows < BATCH) break;
  }
  return removed;
}
