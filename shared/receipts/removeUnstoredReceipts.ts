import { removeStoredFiles } from '../engine/files';
import type { Services } from '../services';
import { giveRoomBack } from './receiptUsage';
import { UNSTORED_KEPT_MS } from './storeReceipt';

/**
 * Removes receipts whose upload began over an hour ago and never ended, with their files. Returns how many.
 * @throws as {@link removeStoredFiles} does.
 */
export function removeUnstoredReceipts(services: Services, deadline: number): Promise<number> {
  const where = "f.kind = 'receipt' AND f.storedAt IS NULL";
  const before = new Date(services.clock.now().getTime() - UNSTORED_KEPT_MS);
  return removeStoredFiles(services, { since: 'updatedAt', where, before, removed: giveRoomBack }, deadline);
}
