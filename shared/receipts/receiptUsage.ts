import type { UnitOfWork } from '../engine/db';
import { LimitReached } from '../engine/errors';

const MIB = 1024 * 1024;
/** What a file takes at least: a block of the disk, and rows of its own. */
const LEAST_BYTES = 4 * 1024;

/**
 * Adds the bytes of one more file to what the company's receipts and imports take. The row stays locked until the commit, so uploads at
 * the same time cannot both take the last free bytes.
 * @throws {LimitReached} when they would take more than `quotaBytes`.
 */
export async function takeRoom(uow: UnitOfWork, bytes: number, quotaBytes: number): Promise<void> {
  await changeUsage(uow, takenBy(bytes));
  const [usage] = await uow.sql.rows<{ bytes: number }>('SELECT bytes FROM receipt_usage WHERE companyId = ?', [
    uow.companyId,
  ]);
  if (usage !== undefined && usage.bytes > quotaBytes) {
    throw new LimitReached(
      'receipts',
      `the receipts and imports of this company would take more than their limit of ${quotaBytes / MIB} MiB`,
    );
  }
}

/** Takes the bytes of a removed file off again. */
export function giveRoomBack(uow: UnitOfWork, bytes: number): Promise<void> {
  return changeUsage(uow, -takenBy(bytes));
}

const takenBy = (bytes: number): number => Math.max(bytes, LEAST_BYTES);

async function changeUsage({ sql, companyId }: UnitOfWork, bytes: number): Promise<void> {
  await sql.run(
    `INSERT INTO receipt_usage (companyId, bytes) VALUES (?, ?)
     ON DUPLICATE KEY UPDATE bytes = receipt_usage.bytes + VALUES(bytes)`,
    [companyId, bytes],
  );
}
