import type { Invoice } from '../../database/models';
import type { UnitOfWork } from '../../database/unitOfWork';
import type { InvoiceStatus } from '../../domain/statuses';
import { countRecord } from '../recordCounts';
import { recordEvent } from '../recordEvent';
import { freezeParties } from './parties';

/**
 * Moves a locked invoice to a status and keeps what hangs on it: leaving `draft` freezes the parties and going back thaws
 * them, `paidAt` is set on becoming `paid` (to `paidAt` when the payment is known) and cleared on leaving it. Changes the
 * instance; the caller saves it.
 */
export async function setStatus(
  uow: UnitOfWork,
  invoice: Invoice,
  status: InvoiceStatus,
  { paidAt = uow.now }: { paidAt?: Date } = {},
): Promise<void> {
  const before = invoice.status;
  if (before === status) return;
  invoice.status = status;
  if (status === 'draft') invoice.frozenParties = null;
  else invoice.frozenParties ??= await freezeParties(uow, invoice.clientId);
  if (status === 'sent') invoice.sentAt = uow.now;
  invoice.paidAt = status === 'paid' ? paidAt : null;
  await countRecord(uow, 'invoice', { status: before, softDelete: false }, { status, softDelete: false });
  if (status === 'sent' || status === 'paid') {
    await recordEvent(uow, `invoice.${status}`, { type: 'invoice', id: invoice.id }, { from: before });
  }
}
