import type { Sql } from '../../database/sql';
import { likePattern } from '../likePattern';
import type { Page, PageRequest } from '../page';
import { readPage } from '../readPage';
import { clientColumns, type ClientRecord } from './ClientRecord';

export const clientSortFields = ['id', 'name', 'email', 'createdAt', 'updatedAt'] as const;

export type ClientListRequest = PageRequest<(typeof clientSortFields)[number]> & {
  /** A substring of name or e-mail address. */
  search: string | null;
  includeDeleted: boolean;
};

/** One page of a company's clients. */
export function listClients(sql: Sql, companyId: number, request: ClientListRequest): Promise<Page<ClientRecord>> {
  const conditions = [request.includeDeleted ? 'c.softDelete IN (0, 1)' : 'c.softDelete = 0'];
  const values: string[] = [];
  if (request.search !== null) {
    const pattern = likePattern(request.search);
    conditions.push("(c.name LIKE ? ESCAPE '!' OR c.email LIKE ? ESCAPE '!')");
    values.push(pattern, pattern);
  }
  return readPage(sql, companyId, { table: 'clients', columns: clientColumns, conditions, values }, request);
}
