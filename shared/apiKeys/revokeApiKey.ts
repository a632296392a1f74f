import { ApiKey } from './ApiKey';
import type { UnitOfWork } from '../engine/db';
import { NotFound } from '../engine/errors';
import { nextUpdatedAt } from '../engine/records';
import { recordEvent } from '../engine/events';
import { apiKeyEvents } from './events';
import { getApiKey, type ApiKeyRecord } from './record';

/**
 * Ends a key for good, on every API process within 5 seconds. Revoking it again changes nothing.
 * @throws {NotFound} when absent or another company's.
 */
export async function revokeApiKey(uow: UnitOfWork, keyId: number): Promise<ApiKeyRecord> {
  const { companyId, now, transaction } = uow;
  const key = await ApiKey.findOne({ where: { companyId, id: keyId }, lock: transaction.LOCK.UPDATE, transaction });
  if (key === null) throw new NotFound('API key');
  if (key.revokedAt === null) {
    await key.update({ revokedAt: now, updatedAt: nextUpdatedAt(now, key.updatedAt) }, { transaction });
    recordEvent(uow, apiKeyEvents.revoked, key.id, { name: key.name });
  }
  return getApiKey(uow.sql, companyId, keyId);
}
