import type { Sql } from '../../database/sql';
import { likePattern } from '../likePattern';
import { pageOf, type Page, type PageRequest } from '../page';
import { Conditions, readPage } from '../readPage';
import { categoryColumns, type CategoryRecord } from './CategoryRecord';

export const categorySortFields = ['id', 'name', 'createdAt', 'updatedAt'] as const;

export type CategoryListRequest = PageRequest<(typeof categorySortFields)[number]> & {
  /** A substring of the name. */
  search: string | null;
  includeDeleted: boolean;
};

/** One page of a company's categories. */
export async function listCategories(
  sql: Sql,
  companyId: number,
  request: CategoryListRequest,
): Promise<Page<CategoryRecord>> {
  const conditions = new Conditions()
    .deleted('c', request.includeDeleted)
    .add("c.name LIKE ? ESCAPE '!'", request.search === null ? null : likePattern(request.search));
  const source = { table: 'categories', alias: 'c', columns: categoryColumns, conditions } as const;
  const { rows, total } = await readPage<CategoryRecord>(sql, companyId, source, request);
  return pageOf(rows, total, request);
}
