import type { UnitOfWork } from '../../database/unitOfWork';
import { nextUpdatedAt } from '../nextUpdatedAt';
import { recordEvent } from '../recordEvent';
import { lockClient } from './lockClient';

/**
 * Soft-deletes: invoices keep showing the client, new ones cannot refer to it.
 * @throws {NotFound} also when it is deleted already; {@link PreconditionFailed}.
 */
export async function deleteClient(uow: UnitOfWork, clientId: number, ifMatch: string | null = null): Promise<void> {
  const client = await lockClient(uow, clientId, ifMatch);
  const updatedAt = nextUpdatedAt(uow.now, client.updatedAt);
  await client.update({ softDelete: true, updatedAt }, { transaction: uow.transaction });
  await recordEvent(uow, 'client.deleted', { type: 'client', id: clientId });
}
