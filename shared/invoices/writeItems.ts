import { insertRows, type NewRow, ROWS_PER_STATEMENT, type UnitOfWork } from '../engine/db';
import { invoiceItem, type InvoiceItemInput } from './record';

/** Inserts the items of an invoice that has none, with the amounts that its totals were computed from. */
export async function writeItems(
  uow: UnitOfWork,
  invoiceId: number,
  items: readonly InvoiceItemInput[],
  amounts: readonly string[],
): Promise<void> {
  const row = (item: InvoiceItemInput, position: number): NewRow => ({
    companyId: uow.companyId,
    invoiceId,
    position,
    ...invoiceItem.toColumns(item),
    amount: amounts[position] ?? '',
    createdAt: uow.now,
    updatedAt: uow.now,
  });
  // The rows of a thousand items take 10 ms to make. Other requests run between two statements.
  for (let from = 0; from < items.length; from += ROWS_PER_STATEMENT) {
    const rows = items.slice(from, from + ROWS_PER_STATEMENT).map((item, index) => row(item, from + index));
    await insertRows(uow.sql, 'invoice_items', rows);
  }
}
