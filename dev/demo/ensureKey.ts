import { ApiKey } from '../../shared/models';
import type { UnitOfWork } from '../../shared/engine/db/unitOfWork';
import { createApiKey, hashToken, scopes } from '../../shared/apiKeys';

/**
 * Creates a key of the company with this token and all scopes, unless it exists.
 * @throws {Error} for a key that was revoked, has expired or belongs to another company.
 */
export async function ensureKey(uow: UnitOfWork, token: string): Promise<void> {
  const key = await ApiKey.findOne({ where: { tokenHash: hashToken(token) }, transaction: uow.transaction });
  if (key === null) {
    await createApiKey(uow, { name: 'API_TOKEN', scopes, token });
    return;
  }
  const expired = key.expiresAt !== null && key.expiresAt <= uow.now;
  if (key.companyId !== uow.companyId || key.revokedAt !== null || expired) {
    throw new Error('API_TOKEN is a key that was revoked, has expired or belongs to another company; choose another');
  }
}
