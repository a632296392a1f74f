import { insertRows } from '../kernel/database/insert';
import type { UnitOfWork } from '../kernel/database/unitOfWork';
import { invoiceItem, type InvoiceItemInput } from './record';

/** Inserts the items of an invoice that has none, with the amounts that its totals were computed from. */
export async function writeItems(
  uow: UnitOfWork,
  invoiceId: number,
  items: readonly InvoiceItemInput[],
  amounts: readonly string[],
): Promise<void> {
  await insertRows(
    uow.sql,
    'invoice_items',
    items.map((item, position) => ({
      companyId: uow.companyId,
      invoiceId,
      position,
      ...invoiceItem.toColumns(item),
      amount: amounts[position] ?? '',
      createdAt: uow.now,
      updatedAt: uow.now,
    })),
  );
}
