import { Client } from '../../database/models';
import type { UnitOfWork } from '../../database/unitOfWork';
import { NotFound } from '../../errors';
import { checkVersion } from '../entityTag';

/**
 * The client, locked until the end of the transaction.
 * @throws {NotFound} when absent, deleted or another company's; {@link PreconditionFailed}.
 */
export async function lockClient(
  { companyId, transaction }: UnitOfWork,
  id: number,
  ifMatch: string | null,
): Promise<Client> {
  const client = await Client.findOne({
    where: { companyId, id, softDelete: false },
    lock: transaction.LOCK.UPDATE,
    transaction,
  });
  if (client === null) throw new NotFound('client');
  checkVersion(client.updatedAt, ifMatch);
  return client;
}
