import { Client } from '../../database/models';
import type { UnitOfWork } from '../../database/unitOfWork';
import { recordEvent } from '../recordEvent';
import type { ClientInput, ClientRecord } from './ClientRecord';
import { getClient } from './getClient';

/** Creates a client and answers it as GET would. Names need not differ: two customers may share one. */
export async function createClient(uow: UnitOfWork, input: ClientInput): Promise<ClientRecord> {
  const { companyId, now, transaction } = uow;
  const { id } = await Client.create(
    { ...input, companyId, softDelete: false, createdAt: now, updatedAt: now },
    { transaction },
  );
  await recordEvent(uow, 'client.created', { type: 'client', id }, { name: input.name });
  return getClient(uow.sql, companyId, id);
}
