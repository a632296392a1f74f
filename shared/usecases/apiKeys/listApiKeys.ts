import type { Sql } from '../../database/sql';
import { likePattern } from '../likePattern';
import type { Page, PageRequest } from '../page';
import { readPage } from '../readPage';
import { apiKeyColumns, type ApiKeyRecord } from './ApiKeyRecord';

export const apiKeySortFields = ['id', 'name', 'createdAt', 'lastUsedAt'] as const;

export type ApiKeyListRequest = PageRequest<(typeof apiKeySortFields)[number]> & {
  /** A substring of the name. */
  search: string | null;
};

/** One page of a company's keys, revoked and expired ones included. */
export function listApiKeys(sql: Sql, companyId: number, request: ApiKeyListRequest): Promise<Page<ApiKeyRecord>> {
  const source = {
    table: 'api_keys',
    columns: apiKeyColumns,
    conditions: request.search === null ? [] : ["c.name LIKE ? ESCAPE '!'"],
    values: request.search === null ? [] : [likePattern(request.search)],
  } as const;
  return readPage(sql, companyId, source, request);
}
