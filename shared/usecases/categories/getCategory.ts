import type { Sql } from '../../database/sql';
import { NotFound } from '../../errors';
import { categoryColumns, type CategoryRecord } from './CategoryRecord';

/** @throws {NotFound} when absent, another company's, or deleted (unless `includeDeleted`). */
export async function getCategory(
  sql: Sql,
  companyId: number,
  categoryId: number,
  { includeDeleted = false } = {},
): Promise<CategoryRecord> {
  const [category] = await sql.rows<CategoryRecord>(
    `SELECT ${categoryColumns} FROM categories c WHERE c.companyId = ? AND c.id = ?`,
    [companyId, categoryId],
  );
  if (category === undefined || (category.softDelete === 1 && !includeDeleted)) throw new NotFound('category');
  return category;
}
