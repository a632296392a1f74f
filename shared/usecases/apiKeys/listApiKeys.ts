import type { Sql } from '../../database/sql';
import { likePattern } from '../likePattern';
import type { LargePage, Page, PageRequest } from '../page';
import { Conditions, eachRow, readPage } from '../readPage';
import { apiKeyColumns, type ApiKeyRecord } from './ApiKeyRecord';

export const apiKeySortFields = ['id', 'name', 'createdAt', 'lastUsedAt'] as const;

export type ApiKeyListRequest = PageRequest<(typeof apiKeySortFields)[number]> & {
  /** A substring of the name. */
  search: string | null;
};

/** One page of a company's keys, revoked and expired ones included. */
export function listApiKeys(
  sql: Sql,
  companyId: number,
  request: ApiKeyListRequest,
): Promise<Page<ApiKeyRecord> | LargePage<ApiKeyRecord>> {
  const pattern = request.search === null ? null : likePattern(request.search);
  const conditions = new Conditions().add("c.name LIKE ? ESCAPE '!'", pattern);
  const source = {
    table: 'api_keys',
    alias: 'c',
    columns: apiKeyColumns,
    conditions,
    toRecords: eachRow<ApiKeyRecord>,
  } as const;
  return readPage(sql, companyId, source, request);
}
