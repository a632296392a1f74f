import { insertRows, type NewRow, ROWS_PER_STATEMENT, type UnitOfWork } from '../engine/db';
import type { ItemPlace } from './assignInvoiceNumber';
import type { InvoiceItemRecord } from './record';

/** What is agreed of an item, as it is stored. */
export type ItemColumns = Pick<InvoiceItemRecord, 'description' | 'quantity' | 'unitPrice'>;

/**
 * Inserts the items of an invoice that has none, with the amounts that its totals were computed from. Returns the id of the first one; on
 * most servers the others follow it without a gap.
 */
export async function writeItems(
  uow: UnitOfWork,
  invoiceId: number,
  items: readonly ItemColumns[],
  amounts: readonly string[],
): Promise<number> {
  const row = ({ description, quantity, unitPrice }: ItemColumns, position: number): NewRow => ({
    companyId: uow.companyId,
    invoiceId,
    position,
    ...{ description, quantity, unitPrice },
    amount: amounts[position] ?? '',
    createdAt: uow.now,
    updatedAt: uow.now,
  });
  let firstId = 0;
  // The rows of a thousand items take 10 ms to make. Other requests run between two statements.
  for (let from = 0; from < items.length; from += ROWS_PER_STATEMENT) {
    const rows = items.slice(from, from + ROWS_PER_STATEMENT).map((item, index) => row(item, from + index));
    const inserted = await insertRows(uow.sql, 'invoice_items', rows);
    if (from === 0) firstId = inserted;
  }
  return firstId;
}

/**
 * Returns the place of the last item if the ids of all follow one another. Ids grow, so if the last one is as expected, all are.
 */
export function lastOf(count: number, firstId: number): ItemPlace {
  const position = count - 1;
  return { position, id: firstId + position };
}
