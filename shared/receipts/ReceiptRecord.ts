import type { Sql } from '../engine/db';
import { NotFound } from '../engine/errors';

/** A stored receipt. */
export interface ReceiptRecord {
  id: number;
  fileKey: string;
  contentType: string;
  /** Bytes. */
  size: number;
}

/** @throws {NotFound} for another company's, one that was never stored, and every other kind of file. */
export async function getReceipt(sql: Sql, companyId: number, id: number): Promise<ReceiptRecord> {
  const [receipt] = await sql.rows<ReceiptRecord>(
    `SELECT id, fileKey, contentType, size FROM stored_files
     WHERE companyId = ? AND id = ? AND kind = 'receipt' AND storedAt IS NOT NULL`,
    [companyId, id],
  );
  if (receipt === undefined) throw new NotFound('receipt');
  return receipt;
}
