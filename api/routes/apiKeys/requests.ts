import type { SchemaObject } from 'ajv';
import type { Scope } from '../../../shared/domain/statuses';
import type { ApiKeyInput } from '../../../shared/usecases/apiKeys/createApiKey';
import { apiKeySortFields } from '../../../shared/usecases/apiKeys/listApiKeys';
import { line, listQuery, moment, orNull, requestBody, scopeList } from '../../validation/fields';

export const createApiKeyBody = requestBody(
  {
    name: line(255),
    scopes: scopeList,
    expiresAt: orNull({
      ...moment,
      pattern: /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+\-]\d{2}:\d{2})$/u.source,
      example: '2027-01-31T17:00:00Z',
    }),
  },
  { ignored: ['id', 'hint', 'token', 'lastUsedAt', 'revokedAt', 'createdAt'] },
);

const { includeDeleted: _keysAreNotDeleted, ...properties } = listQuery(apiKeySortFields, 'createdAt')
  .properties as Record<string, SchemaObject>;
export const listApiKeysQuery: SchemaObject = { type: 'object', properties };

/** A checked body of {@link createApiKeyBody}. */
export interface ApiKeyBody {
  name?: string;
  scopes?: Scope[];
  expiresAt?: string | null;
}

/** A checked body as the use-case takes it. */
export function toApiKeyInput({ expiresAt = null, ...body }: ApiKeyBody): ApiKeyInput {
  return { ...body, expiresAt: expiresAt === null ? null : new Date(expiresAt) };
}
