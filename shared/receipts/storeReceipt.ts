import { toSqlTime, type UnitOfWork, type WorkContext } from '../engine/db';
import { ServiceUnavailable } from '../engine/errors';
import type { Upload } from '../engine/files';
import type { Services } from '../services';
import { recordEvent } from '../engine/events';
import { receiptEvents } from './events';
import type { ReceiptRecord } from './ReceiptRecord';
import type { ReceiptKind } from './recogniseReceipt';
import { takeRoom } from './receiptUsage';

/** A receipt whose bytes have not come for so long is taken for given up (see `removeUnstoredReceipts`). */
export const UNSTORED_KEPT_MS = 3_600_000;

/**
 * Puts an upload into the file store and returns the id of its row, which {@link markReceiptStored} has to complete. The row
 * is committed before the file is put: whatever crashes, no file is without one, and what was not completed is cleaned up.
 * The same content of the same company has the same id.
 * @throws {ServiceUnavailable} when MySQL or the store cannot be reached; {@link LimitReached} when a receipt that
 * is not there yet would exceed `RECEIPTS_QUOTA_MB`.
 */
export async function putReceipt(
  services: Services,
  context: WorkContext,
  upload: Upload,
  kind: ReceiptKind,
): Promise<number> {
  const { clock, files, config } = services;
  const fileKey = `receipt/${context.companyId}/${upload.sha256}.${kind.extension}`;
  const reserve = (): Promise<number> =>
    services.perform(context, async (uow) => {
      const { id, isNew } = await reserveReceipt(uow, fileKey, kind.contentType, upload.size);
      if (isNew) await takeRoom(uow, upload.size, config.receiptsQuotaBytes);
      return id;
    });
  await services.storeCheck.ensure();
  const begun = clock.now().getTime();
  const id = await reserve();
  await files.putFile(fileKey, upload.path);
  // After so long the row may have been cleaned up.
  return clock.now().getTime() - begun < UNSTORED_KEPT_MS / 2 ? id : reserve();
}

async function reserveReceipt(
  { companyId, now, sql }: UnitOfWork,
  fileKey: string,
  contentType: string,
  size: number,
): Promise<{ id: number; isNew: boolean }> {
  const at = toSqlTime(now);
  const { insertId, affectedRows } = await sql.run(
    `INSERT INTO stored_files (companyId, fileKey, kind, contentType, size, createdAt, updatedAt)
     VALUES (?, ?, 'receipt', ?, ?, ?, ?) ON DUPLICATE KEY UPDATE id = LAST_INSERT_ID(id), updatedAt = ?`,
    [companyId, fileKey, contentType, size, at, at, at],
  );
  return { id: insertId, isNew: affectedRows === 1 };
}

/** The receipt's file is in the store: from now on it is shown, and stays. */
export async function markReceiptStored(uow: UnitOfWork, id: number): Promise<ReceiptRecord> {
  const { companyId, now, sql } = uow;
  const [found] = await sql.rows<ReceiptRecord & { storedAt: string | null }>(
    'SELECT id, fileKey, contentType, size, storedAt FROM stored_files WHERE companyId = ? AND id = ? FOR UPDATE',
    [companyId, id],
  );
  if (found === undefined) throw new ServiceUnavailable('the file store', new Error(`receipt ${id} was cleaned up`));
  const { storedAt, ...receipt } = found;
  if (storedAt === null) {
    await sql.run('UPDATE stored_files SET storedAt = ? WHERE companyId = ? AND id = ?', [
      toSqlTime(now),
      companyId,
      id,
    ]);
    const { contentType, size } = receipt;
    recordEvent(uow, receiptEvents.created, id, { contentType, size });
  }
  return receipt;
}
