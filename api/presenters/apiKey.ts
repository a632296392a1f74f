import type { SchemaObject } from 'ajv';
import { toIsoTime } from '../../shared/database/sql';
import type { ApiKeyRecord } from '../../shared/usecases/apiKeys/ApiKeyRecord';
import { line, moment, orNull, recordId, responseBody, scopeList } from '../validation/fields';

export function presentApiKey(key: ApiKeyRecord): object {
  return {
    id: key.id,
    name: key.name,
    hint: key.tokenHint,
    scopes: key.scopes.split(','),
    expiresAt: timeOrNull(key.expiresAt),
    lastUsedAt: timeOrNull(key.lastUsedAt),
    revokedAt: timeOrNull(key.revokedAt),
    createdAt: toIsoTime(key.createdAt),
  };
}

/** The answer to its creation, which alone shows the token. */
export function presentNewApiKey({ token, ...key }: ApiKeyRecord & { token: string }): object {
  return { ...presentApiKey(key), token };
}

const timeOrNull = (sqlTime: string | null): string | null => (sqlTime === null ? null : toIsoTime(sqlTime));

const fields: Record<string, SchemaObject> = {
  id: recordId,
  name: line(255),
  hint: { type: 'string', example: 'inv_9f3K…' },
  scopes: scopeList,
  expiresAt: orNull(moment),
  lastUsedAt: orNull(moment),
  revokedAt: orNull(moment),
  createdAt: moment,
};

export const apiKeySchema = responseBody(fields);
export const newApiKeySchema = responseBody({ ...fields, token: { type: 'string' } });
