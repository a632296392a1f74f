import type { Sql } from '../../database/sql';
import { likePattern } from '../likePattern';
import { pageOf, type Page, type PageRequest } from '../page';
import { Conditions, readPage } from '../readPage';
import { apiKeyColumns, type ApiKeyRecord } from './ApiKeyRecord';

export const apiKeySortFields = ['id', 'name', 'createdAt', 'lastUsedAt'] as const;

export type ApiKeyListRequest = PageRequest<(typeof apiKeySortFields)[number]> & {
  /** A substring of the name. */
  search: string | null;
};

/** One page of a company's keys, revoked and expired ones included. */
export async function listApiKeys(
  sql: Sql,
  companyId: number,
  request: ApiKeyListRequest,
): Promise<Page<ApiKeyRecord>> {
  const pattern = request.search === null ? null : likePattern(request.search);
  const conditions = new Conditions().add("c.name LIKE ? ESCAPE '!'", pattern);
  const source = { table: 'api_keys', alias: 'c', columns: apiKeyColumns, conditions } as const;
  const { rows, total } = await readPage<ApiKeyRecord>(sql, companyId, source, request);
  return pageOf(rows, total, request);
}
