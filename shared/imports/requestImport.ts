import { randomUUID } from 'node:crypto';
import { insertRow, toSqlTime, type UnitOfWork, type WorkContext } from '../engine/db';
import { LimitReached, ServiceUnavailable } from '../engine/errors';
import type { Upload } from '../engine/files';
import { recordJob } from '../engine/jobs';
import { takeRoom } from '../receipts';
import type { Services } from '../services';
import { importRecords } from './importRecords';
import { getImport, type ImportRecord } from './record';
import type { ImportType } from './statuses';

/** The most imports of one company that are kept, each with up to 1,000 errors. A new one replaces the oldest ended one. */
const MOST_KEPT = 1_000;
/** The most imports that a request removes. */
const REMOVED = 10;

/**
 * Puts a file into the file store, and returns the id of its row, for {@link requestImport}. As for a receipt, the row is committed first,
 * so that no crash leaves a file without a row. Files whose import is not requested within an hour are removed.
 * @throws {ServiceUnavailable} when MySQL or the store cannot be reached; {@link LimitReached}.
 */
export async function putImportFile(services: Services, context: WorkContext, { path, size }: Upload): Promise<number> {
  const { config, files, storeCheck } = services;
  const fileKey = `import/${context.companyId}/${randomUUID()}.csv`;
  await storeCheck.ensure();
  const id = await services.perform(context, async (uow) => {
    await requireRoom(uow, config.stored.imports);
    await takeRoom(uow, size, config.receiptsQuotaBytes);
    const { companyId, now: createdAt } = uow;
    const row = { companyId, fileKey, kind: 'import', contentType: 'text/csv', size, createdAt, updatedAt: createdAt };
    return insertRow(uow.sql, 'stored_files', row);
  });
  await files.putFile(fileKey, path);
  return id;
}

/**
 * Records the import of a stored file, with its job.
 * @param most the limit of unfinished imports of the company
 * @throws {LimitReached}
 */
export async function requestImport(
  uow: UnitOfWork,
  file: { type: ImportType; dryRun: boolean; fileId: number; rowCount: number },
  most: number,
): Promise<ImportRecord> {
  const { companyId, now: createdAt, sql } = uow;
  await requireRoom(uow, most);
  const stored = await sql.run('UPDATE stored_files SET storedAt = ? WHERE companyId = ? AND id = ?', [
    toSqlTime(createdAt),
    companyId,
    file.fileId,
  ]);
  if (stored.affectedRows === 0) throw new ServiceUnavailable('the file store', new Error('the file was cleaned up'));
  await removeOldest(uow);
  const row = { companyId, ...file, status: 'queued', createdAt, updatedAt: createdAt };
  const importId = await insertRow(sql, 'imports', row);
  await recordJob(uow, importRecords, { importId });
  return getImport(sql, companyId, importId);
}

/** The company's row stays locked until the commit, so concurrent requests are counted one after the other. */
async function requireRoom({ sql, companyId }: UnitOfWork, most: number): Promise<void> {
  await sql.rows('SELECT id FROM companies WHERE id = ? FOR UPDATE', [companyId]);
  const [unfinished] = await sql.rows<{ count: number }>(
    "SELECT COUNT(*) AS count FROM imports WHERE companyId = ? AND status IN ('queued', 'running')",
    [companyId],
  );
  if ((unfinished?.count ?? 0) < most) return;
  throw new LimitReached('imports', `a company can have ${most} imports that are not done: wait for one first`);
}

async function removeOldest({ sql, companyId }: UnitOfWork): Promise<void> {
  const [last] = await sql.rows<{ id: number }>(
    `SELECT id FROM imports WHERE companyId = ? ORDER BY id DESC LIMIT 1 OFFSET ${MOST_KEPT - 1}`,
    [companyId],
  );
  if (last === undefined) return;
  await sql.run(
    `DELETE FROM imports WHERE companyId = ? AND id <= ? AND endedAt IS NOT NULL ORDER BY id LIMIT ${REMOVED}`,
    [companyId, last.id],
  );
}
