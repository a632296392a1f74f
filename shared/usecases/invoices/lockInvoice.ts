import type { UnitOfWork } from '../../database/unitOfWork';
import { Client, Invoice } from '../../database/models';
import type { InvoiceStatus } from '../../domain/statuses';
import { NotFound, PreconditionFailed } from '../../errors';
import { matchesETag } from '../matchesETag';
import { entityTag } from '../entityTag';

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

/** What decides whether something may be done with an invoice; `updatedAt` as MySQL writes it. */
export interface InvoiceState {
  status: InvoiceStatus;
  clientId: number;
  updatedAt: string;
  softDelete: 0 | 1;
}

/** Locks the invoice like {@link findLocked}, for those who change nothing of it. */
export async function findLockedState(uow: UnitOfWork, invoiceId: number): Promise<InvoiceState | null> {
  const [state] = await uow.sql.rows<InvoiceState>(
    'SELECT status, clientId, updatedAt, softDelete FROM invoices WHERE companyId = ? AND id = ? FOR UPDATE',
    [uow.companyId, invoiceId],
  );
  return state ?? null;
}

/** @throws {NotFound} when absent, deleted or another company's. */
export async function lockInvoiceState(uow: UnitOfWork, invoiceId: number): Promise<InvoiceState> {
  const state = await findLockedState(uow, invoiceId);
  if (state === null || state.softDelete === 1) throw new NotFound('invoice');
  return state;
}

/** @throws {PreconditionFailed} when `ifMatch` (the header's value) is given and names another version. */
export async function checkIfMatch(uow: UnitOfWork, invoice: Invoice, ifMatch: string | null): Promise<void> {
  if (ifMatch === null) return;
  const { companyId, transaction } = uow;
  const client = await Client.findOne({ where: { companyId, id: invoice.clientId }, transaction, rejectOnEmpty: true });
  if (!matchesETag(ifMatch, entityTag(invoice.updatedAt, client.updatedAt))) {
    throw new PreconditionFailed();
  }
}
