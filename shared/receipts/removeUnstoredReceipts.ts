import { toSqlTime } from '../kernel/database/sql';
import type { InstallationWork } from '../kernel/database/unitOfWork';
import type { Services } from '../kernel/services';
import { giveRoomBack } from './receiptUsage';
import { UNSTORED_KEPT_MS } from './storeReceipt';

/**
 * Removes receipts whose upload began over an hour ago and never ended, with their files. Returns how many.
 * Any number of workers may do it at once.
 */
export async function removeUnstoredReceipts(services: Services): Promise<number> {
  const before = new Date(services.clock.now().getTime() - UNSTORED_KEPT_MS);
  let removed = 0;
  while (await services.performForInstallation('clean-up', (work) => removeOne(services, work, before))) removed++;
  return removed;
}

const UNSTORED = "kind = 'receipt' AND storedAt IS NULL AND updatedAt < ?";

/**
 * Removes the file while the row is locked: an upload of the same content waits, and then begins with a new row. Repeating
 * it after a rollback changes nothing. The row is locked by its key, in the order in which an upload locks it: a lock
 * taken by another index would be a deadlock with the upload that waits.
 */
async function removeOne({ files }: Services, work: InstallationWork, before: Date): Promise<boolean> {
  const { sql } = work;
  const [oldest] = await sql.rows<{ companyId: number; fileKey: string }>(
    `SELECT companyId, fileKey FROM stored_files WHERE ${UNSTORED} ORDER BY updatedAt LIMIT 1`,
    [toSqlTime(before)],
  );
  if (oldest === undefined) return false;
  const { companyId, fileKey } = oldest;
  const [unstored] = await sql.rows<{ id: number; size: number }>(
    `SELECT id, size FROM stored_files WHERE companyId = ? AND fileKey = ? AND ${UNSTORED} FOR UPDATE SKIP LOCKED`,
    [companyId, fileKey, toSqlTime(before)],
  );
  // Another clean-up or an upload has it: the next clean-up looks again.
  if (unstored === undefined) return false;
  await files.remove(fileKey);
  await sql.run('DELETE FROM stored_files WHERE companyId = ? AND id = ?', [companyId, unstored.id]);
  await giveRoomBack(work.forCompany(companyId), unstored.size);
  return true;
}
