import { ApiKey } from '../../shared/models';
import type { UnitOfWork } from '../../shared/engine/db/unitOfWork';
import { createApiKey, hashToken, scopes } from '../../shared/apiKeys';

/**
 * Makes the token a key of the company, with all scopes, unless it is one.
 * @throws when it is a key that does not work for the company: what was revoked stays so.
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
