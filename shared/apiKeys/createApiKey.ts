import { ApiKey } from './ApiKey';
import { Company } from '../companies';
import type { UnitOfWork } from '../kernel/database/unitOfWork';
import { scopes as allScopes, type Scope } from './scopes';
import { NotFound, ValidationFailed } from '../kernel/errors';
import { recordEvent } from '../kernel/events/recordEvent';
import { apiKeyEvents } from './events';
import { getApiKey, type ApiKeyRecord } from './record';
import { hashToken, newToken, tokenHint } from './token';

export interface ApiKeyInput {
  name?: string;
  /** Default: `read` and `write`. */
  scopes?: readonly Scope[];
  expiresAt?: Date | null;
  /** A token of the caller's choice, for installations that are set up by script; default: a new random one. */
  token?: string;
}

/** What DATETIME can hold. */
const LAST_MOMENT = new Date('9999-12-31T23:59:59.999Z');

/**
 * Makes an API key of the unit of work's company. The token is answered here and never again.
 * @throws {ValidationFailed} when it would have expired already; {@link NotFound} when there is no such company.
 */
export async function createApiKey(
  uow: UnitOfWork,
  { name = '', scopes = ['read', 'write'], expiresAt = null, token = newToken() }: ApiKeyInput,
): Promise<ApiKeyRecord & { token: string }> {
  const { companyId, now, transaction } = uow;
  if (expiresAt !== null && (expiresAt <= now || expiresAt > LAST_MOMENT)) {
    throw ValidationFailed.at('expiresAt', 'must be in the future');
  }
  if ((await Company.count({ where: { id: companyId }, transaction })) === 0) throw new NotFound('company');
  const granted = allScopes.filter((scope) => scopes.includes(scope));
  const row = await ApiKey.create(
    {
      companyId,
      name,
      tokenHash: hashToken(token),
      tokenHint: tokenHint(token),
      scopes: granted.join(','),
      expiresAt,
      lastUsedAt: null,
      revokedAt: null,
      createdAt: now,
      updatedAt: now,
    },
    { transaction },
  );
  await recordEvent(uow, apiKeyEvents.created, row.id, {
    name,
    scopes: granted,
    expiresAt: expiresAt?.toISOString() ?? null,
  });
  return { ...(await getApiKey(uow.sql, companyId, row.id)), token };
}
