import type { Sql } from '../../database/sql';
import { likePattern } from '../likePattern';
import type { Page, PageRequest } from '../page';
import { readPage } from '../readPage';
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
): Promise<Page<CategoryRecord>> {
  const conditions = [request.includeDeleted ? 'c.softDelete IN (0, 1)' : 'c.softDelete = 0'];
  const values: string[] = [];
  if (request.search !== null) {
    conditions.push("c.name LIKE ? ESCAPE '!'");
    values.push(likePattern(request.search));
  }
  return readPage(sql, companyId, { table: 'categories', columns: categoryColumns, conditions, values }, request);
}
