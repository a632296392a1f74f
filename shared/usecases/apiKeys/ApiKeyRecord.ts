import type { Sql } from '../../database/sql';
import { NotFound } from '../../errors';

/**
 * An API key as one statement read it, without its token, of which only a hash is kept; moments as MySQL writes them (UTC),
 * scopes separated by commas.
 */
export interface ApiKeyRecord {
  id: number;
  name: string;
  /** The beginning of the token. */
  tokenHint: string;
  scopes: string;
  expiresAt: string | null;
  lastUsedAt: string | null;
  revokedAt: string | null;
  createdAt: string;
}

export const apiKeyColumns = 'c.id, c.name, c.tokenHint, c.scopes, c.expiresAt, c.lastUsedAt, c.revokedAt, c.createdAt';

/** @throws {NotFound} when absent or another company's. */
export async function getApiKey(sql: Sql, companyId: number, keyId: number): Promise<ApiKeyRecord> {
  const [key] = await sql.rows<ApiKeyRecord>(
    `SELECT ${apiKeyColumns} FROM api_keys c WHERE c.companyId = ? AND c.id = ?`,
    [companyId, keyId],
  );
  if (key === undefined) throw new NotFound('API key');
  return key;
}
