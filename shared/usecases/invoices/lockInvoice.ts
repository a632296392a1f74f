import type { UnitOfWork } from '../../database/unitOfWork';
import { Client, Invoice } from '../../database/models';
import { NotFound, PreconditionFailed } from '../../errors';
import { matchesETag } from '../matchesETag';
import { invoiceETag } from './invoiceVersion';

/** The invoice, locked until the end of the transaction: everything that changes an invoice begins here. */
export async function findLocked(uow: UnitOfWork, invoiceId: number): Promise<Invoice | null> {
  const { companyId, transaction } = uow;
  return Invoice.findOne({ where: { companyId, id: invoiceId }, lock: transaction.LOCK.UPDATE, transaction });
}

/** @throws {NotFound} when absent, deleted or another company's. */
export async function lockInvoice(uow: UnitOfWork, invoiceId: number): Promise<Invoice> {
  const invoice = await findLocked(uow, invoiceId);
  if (invoice === null || invoice.softDelete) throw new NotFound('invoice');
  return invoice;
}

/** @throws {PreconditionFailed} when `ifMatch` (the header's value) is given and names another version. */
export async function checkIfMatch(uow: UnitOfWork, invoice: Invoice, ifMatch: string | null): Promise<void> {
  if (ifMatch === null) return;
  const { companyId, transaction } = uow;
  const client = await Client.findOne({ where: { companyId, id: invoice.clientId }, transaction, rejectOnEmpty: true });
  if (!matchesETag(ifMatch, invoiceETag(invoice.updatedAt, client.updatedAt))) {
    throw new PreconditionFailed();
  }
}
