import { formatDecimal, parseDecimal } from '../../domain/money';
import { insertRows } from '../../database/insert';
import type { UnitOfWork } from '../../database/unitOfWork';
import type { InvoiceItemInput } from './InvoiceInput';

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
      description: item.description,
      quantity: formatDecimal(parseDecimal(item.quantity)),
      unitPrice: formatDecimal(parseDecimal(item.unitPrice)),
      amount: amounts[position] ?? '',
      createdAt: uow.now,
      updatedAt: uow.now,
    })),
  );
}
