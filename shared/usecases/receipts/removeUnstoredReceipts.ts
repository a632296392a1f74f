import { toSqlTime } from '../../database/sql';
import type { UnitOfWork } from '../../database/unitOfWork';
import type { Services } from '../../services';
import { noCompany } from '../companies/createCompany';
import { giveRoomBack } from './receiptUsage';
import { UNSTORED_KEPT_MS } from './storeReceipt';

/**
 * Removes receipts whose upload did not come to its end an hour ago, with what is there of their files. Answers how many.
 * Any number of workers may do it at once.
 */
export async function removeUnstoredReceipts(services: Services): Promise<number> {
  const before = new Date(services.clock.now().getTime() - UNSTORED_KEPT_MS);
  let removed = 0;
  while (await services.perform(noCompany('clean-up'), (uow) => removeOne(services, uow, before))) removed++;
  return removed;
}

/**
 * The file goes under the row's lock: an upload of the same content waits for it, and then begins with a new row. Doing it
 * again after a rollback changes nothing.
 */
async function removeOne({ files }: Services, uow: UnitOfWork, before: Date): Promise<boolean> {
  const { sql } = uow;
  const [unstored] = await sql.rows<{ companyId: number; id: number; fileKey: string; size: number }>(
    `SELECT companyId, id, fileKey, size FROM stored_files
     WHERE kind = 'receipt' AND storedAt IS NULL AND updatedAt < ? ORDER BY updatedAt LIMIT 1 FOR UPDATE SKIP LOCKED`,
    [toSqlTime(before)],
  );
  if (unstored === undefined) return false;
  const { companyId, id, fileKey, size } = unstored;
  await files.remove(fileKey);
  await sql.run('DELETE FROM stored_files WHERE companyId = ? AND id = ?', [companyId, id]);
  await giveRoomBack(uow, companyId, size);
  return true;
}
