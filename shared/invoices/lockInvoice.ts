import { IndexHints } from 'sequelize';
import type { UnitOfWork } from '../engine/db';
import { NotFound } from '../engine/errors';
import { lockRecord } from '../engine/records';
import { Invoice } from './Invoice';
import { invoiceKind } from './record';

/** The invoice, locked until the end of the transaction, also a deleted one; null when absent or another company's. */
export async function findLocked(uow: UnitOfWork, invoiceId: number): Promise<Invoice | null> {
  return (await findAllLocked(uow, [invoiceId])).get(invoiceId) ?? null;
}

/** Several invoices by their ids, as {@link findLocked}. With `skipLocked`, those are left out that another transaction has locked. */
export async function findAllLocked(
  { companyId, transaction }: UnitOfWork,
  ids: readonly number[],
  skipLocked = false,
): Promise<Map<number, Invoice>> {
  const found = await Invoice.findAll({
    where: { companyId, id: [...new Set(ids)] },
    indexHints: [{ type: IndexHints.FORCE, values: ['PRIMARY'] }],
    lock: transaction.LOCK.UPDATE,
    skipLocked,
    transaction,
  });
  return new Map(found.map((invoice) => [invoice.id, invoice]));
}

/** @throws {NotFound} when absent, deleted or another company's. */
export async function lockInvoice(uow: UnitOfWork, invoiceId: number): Promise<Invoice> {
  const invoice = await lockRecord(uow, invoiceKind, invoiceId);
  if (invoice === null) throw new NotFound('invoice');
  return invoice;
}
