import type { Sql } from '../../database/sql';
import { likePattern } from '../likePattern';
import type { LargePage, Page, PageRequest } from '../page';
import { Conditions, eachRow, readPage } from '../readPage';
import { clientColumns, type ClientRecord } from './ClientRecord';

export const clientSortFields = ['id', 'name', 'email', 'createdAt', 'updatedAt'] as const;

export type ClientListRequest = PageRequest<(typeof clientSortFields)[number]> & {
  /** A substring of name or e-mail address. */
  search: string | null;
  includeDeleted: boolean;
};

/** One page of a company's clients. */
export function listClients(
  sql: Sql,
  companyId: number,
  request: ClientListRequest,
): Promise<Page<ClientRecord> | LargePage<ClientRecord>> {
  const pattern = request.search === null ? null : likePattern(request.search);
  const conditions = new Conditions()
    .deleted('c', request.includeDeleted)
    .add("(c.name LIKE ? ESCAPE '!' OR c.email LIKE ? ESCAPE '!')", pattern, pattern);
  const source = {
    table: 'clients',
    alias: 'c',
    columns: clientColumns,
    conditions,
    toRecords: eachRow<ClientRecord>,
  } as const;
  return readPage(sql, companyId, source, request);
}
