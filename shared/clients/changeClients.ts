import type { UnitOfWork } from '../engine/db';
import { refuseDuplicateId } from '../details';
import { recordEvent } from '../engine/events';
import { addToCounts, changeRecord, deleteRecord, readRecord } from '../engine/records';
import { Client } from './Client';
import { clientEvents } from './events';
import { client, clientKind, type ClientChanges, type ClientInput, type ClientRecord } from './record';

/** Creates a client and returns it as GET would. Names need not differ: two customers may share one. */
export async function createClient(uow: UnitOfWork, input: ClientInput): Promise<ClientRecord> {
  const [id] = await createClients(uow, [input]);
  return readRecord(uow.sql, uow.companyId, clientKind, id as number);
}

/**
 * Creates clients in one statement for each, and returns their ids. `externalId`, which no other client of the company has, is the caller's
 * own id.
 * @throws {Conflict} `external_id_taken`.
 */
export async function createClients(
  uow: UnitOfWork,
  inputs: readonly (ClientInput & { externalId?: string | null })[],
): Promise<number[]> {
  const { companyId, now, transaction } = uow;
  const ids: number[] = [];
  for (const { externalId = null, ...input } of inputs) {
    const columns = { ...client.newColumns(input), externalId, companyId };
    const { id } = await refuseDuplicateId([columns], () =>
      Client.create({ ...columns, softDelete: false, createdAt: now, updatedAt: now }, { transaction }),
    );
    recordEvent(uow, clientEvents.created, id, { name: input.name });
    ids.push(id);
  }
  await addToCounts(uow, 'client', [{ softDelete: false, by: ids.length }]);
  return ids;
}

/**
 * Changes the given fields. Invoices that have left `draft` keep printing the old ones.
 * @throws {NotFound}, {@link PreconditionFailed}.
 */
export function updateClient(
  uow: UnitOfWork,
  clientId: number,
  changes: ClientChanges,
  ifMatch: string | null = null,
): Promise<ClientRecord> {
  return changeRecord(uow, clientKind, clientId, {
    ifMatch,
    apply: (found) => {
      const { email } = found;
      found.set(client.toColumns(changes));
      if (found.email !== email) found.emailChangedAt = uow.now;
    },
  });
}

/**
 * Soft-deletes a client: its invoices keep showing it, new ones cannot refer to it.
 * @throws {NotFound} also when it is deleted already; {@link PreconditionFailed}.
 */
export function deleteClient(uow: UnitOfWork, clientId: number, ifMatch: string | null = null): Promise<void> {
  return deleteRecord(uow, clientKind, clientId, ifMatch);
}
