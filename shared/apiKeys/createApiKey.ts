import { ApiKey } from './ApiKey';
import { toSqlTime, type UnitOfWork } from '../engine/db';
import { scopes as allScopes, type Scope } from './scopes';
import { ValidationFailed } from '../engine/errors';
import { recordEvent } from '../engine/events';
import { requireRoom } from '../engine/records';
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
 * Creates an API key of the unit of work's company. The token is returned here and never again. The company can have `most` keys
 * that work: as many as it likes unless given, which is for operators.
 * @throws {ValidationFailed} when it would have expired already; {@link NotFound} when there is no such company;
 * {@link LimitReached}.
 */
export async function createApiKey(
  uow: UnitOfWork,
  { name = '', scopes = ['read', 'write'], expiresAt = null, token = newToken() }: ApiKeyInput,
  most = Infinity,
): Promise<ApiKeyRecord & { token: string }> {
  const { companyId, now, transaction } = uow;
  if (expiresAt !== null && (expiresAt <= now || expiresAt > LAST_MOMENT)) {
    throw ValidationFailed.at('expiresAt', 'must be in the future');
  }
  const ended = { text: '(revokedAt IS NOT NULL OR COALESCE(expiresAt <= ?, 0))', values: [toSqlTime(now)] };
  await requireRoom(uow, { limit: 'api_keys', table: 'api_keys', many: 'API keys', ended }, most);
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
  recordEvent(uow, apiKeyEvents.created, row.id, {
    name,
    scopes: granted,
    expiresAt: expiresAt?.toISOString() ?? null,
  });
  return { ...(await getApiKey(uow.sql, companyId, row.id)), token };
}
