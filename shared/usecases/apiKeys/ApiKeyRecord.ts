import type { ApiKey } from '../../database/models';
import type { Scope } from '../../domain/statuses';

/** An API key without its token, of which only a hash is kept. */
export interface ApiKeyRecord {
  id: number;
  name: string;
  /** The beginning of the token. */
  hint: string;
  scopes: Scope[];
  expiresAt: Date | null;
  lastUsedAt: Date | null;
  revokedAt: Date | null;
  createdAt: Date;
}

export function toApiKeyRecord(row: ApiKey): ApiKeyRecord {
  return {
    id: row.id,
    name: row.name,
    hint: row.tokenHint,
    scopes: row.scopes.split(',') as Scope[],
    expiresAt: row.expiresAt,
    lastUsedAt: row.lastUsedAt,
    revokedAt: row.revokedAt,
    createdAt: row.createdAt,
  };
}
