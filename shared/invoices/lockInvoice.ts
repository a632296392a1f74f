import type { UnitOfWork } from '../engine/db';
import { NotFound } from '../engine/errors';
import { lockRecord } from '../engine/records';
import { Invoice } from './Invoice';
import { invoiceKind } from './record';

/** The invoice, locked until the end of the transaction, also a deleted one; null when absent or another company's. */
export async function findLocked(uow: UnitOfWork, invoiceId: number): Promise<Invoice | null> {
  const { companyId, transaction } = uow;
  return Invoice.findOne({ where: { companyId, id: invoiceId }, lock: transaction.LOCK.UPDATE, transaction });
}

/** @throws {NotFound} when absent, deleted or another company's. */
export async function lockInvoice(uow: UnitOfWork, invoiceId: number): Promise<Invoice> {
  const invoice = await lockRecord(uow, invoiceKind, invoiceId);
  if (invoice === null) throw new NotFound('invoice');
  return invoice;
}
