import type { Client } from '../../database/models';
import type { UnitOfWork } from '../../database/unitOfWork';
import { nextUpdatedAt } from '../nextUpdatedAt';
import { changedFields, recordEvent } from '../recordEvent';
import type { ClientChanges, ClientRecord } from './ClientRecord';
import { getClient } from './getClient';
import { lockClient } from './lockClient';

/**
 * Changes what is given. Invoices that have left `draft` keep printing the client as it was.
 * @throws {NotFound}, {@link PreconditionFailed}.
 */
export async function updateClient(
  uow: UnitOfWork,
  clientId: number,
  changes: ClientChanges,
  ifMatch: string | null = null,
): Promise<ClientRecord> {
  const client = await lockClient(uow, clientId, ifMatch);
  const { updatedAt, ...before } = client.get({ plain: true }) as Client;
  await client.update({ ...changes, updatedAt: nextUpdatedAt(uow.now, updatedAt) }, { transaction: uow.transaction });
  const { updatedAt: _new, ...after } = client.get({ plain: true }) as Client;
  await recordEvent(uow, 'client.updated', { type: 'client', id: clientId }, { changed: changedFields(before, after) });
  return getClient(uow.sql, uow.companyId, clientId);
}
