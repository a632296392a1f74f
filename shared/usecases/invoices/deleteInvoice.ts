import type { UnitOfWork } from '../../database/unitOfWork';
import { nextUpdatedAt } from '../nextUpdatedAt';
import { countRecord } from '../recordCounts';
import { recordEvent } from '../recordEvent';
import { expireUnwantedLinks } from './expireUnwantedLinks';
import { checkIfMatch, lockInvoice } from './lockInvoice';

/**
 * Soft-deletes: the record and its number stay, its open payment links are expired, and a series stops.
 * @throws {NotFound} also when it is deleted already; {@link PreconditionFailed}.
 */
export async function deleteInvoice(uow: UnitOfWork, invoiceId: number, ifMatch: string | null = null): Promise<void> {
  const invoice = await lockInvoice(uow, invoiceId);
  await checkIfMatch(uow, invoice, ifMatch);
  invoice.softDelete = true;
  invoice.dueAt = null;
  invoice.updatedAt = nextUpdatedAt(uow.now, invoice.updatedAt);
  await expireUnwantedLinks(uow, invoice);
  await invoice.save({ transaction: uow.transaction });
  const { status } = invoice;
  await countRecord(uow, 'invoice', { status, softDelete: false }, { status, softDelete: true });
  await recordEvent(uow, 'invoice.deleted', { type: 'invoice', id: invoice.id });
}
