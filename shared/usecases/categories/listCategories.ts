import type { Sql } from '../../database/sql';
import { likePattern } from '../likePattern';
import type { LargePage, Page, PageRequest } from '../page';
import { Conditions, eachRow, readPage } from '../readPage';
import { categoryColumns, type CategoryRecord } from './CategoryRecord';

export const categorySortFields = ['id', 'name', 'createdAt', 'updatedAt'] as const;

export type CategoryListRequest = PageRequest<(typeof categorySortFields)[number]> & {
  /** A substring of the name. */
  search: string | null;
  includeDeleted: boolean;
};

/** One page of a company's categories. */
export function listCategories(
  sql: Sql,
  companyId: number,
  request: CategoryListRequest,
): Promise<Page<CategoryRecord> | LargePage<CategoryRecord>> {
  const conditions = new Conditions()
    .deleted('c', request.includeDeleted)
    .add("c.name LIKE ? ESCAPE '!'", request.search === null ? null : likePattern(request.search));
  const source = {
    table: 'categories',
    alias: 'c',
    columns: categoryColumns,
    conditions,
    toRecords: eachRow<CategoryRecord>,
  } as const;
  return readPage(sql, companyId, source, request);
}
