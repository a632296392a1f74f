import type { ReceiptRecord } from '../../shared/receipts';
import { named, recordId, responseBody } from '../../shared/engine/schemas';

/** Returns the URL of a receipt, which only its company can read. */
function receiptUrl(publicUrl: string, id: number): string {
  return `${publicUrl}/api/receipts/${id}`;
}

export function presentReceipt({ id, contentType, size }: ReceiptRecord, publicUrl: string): object {
  return { id, receiptUrl: receiptUrl(publicUrl, id), contentType, size };
}

export const receiptSchema = named(
  'Receipt',
  responseBody({
    id: recordId,
    receiptUrl: { type: 'string', format: 'uri' },
    contentType: { type: 'string', enum: ['image/jpeg', 'image/png', 'image/webp', 'application/pdf'] },
    size: { type: 'integer', minimum: 1, description: 'Bytes.' },
  }),
);
