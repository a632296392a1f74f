import type { Sql } from '../engine/db';

/** Returns the id of a company's category by its id or its name, as the collation compares names; null when there is none, or it is deleted. */
export async function findCategory(sql: Sql, companyId: number, by: number | string): Promise<number | null> {
  const [found] = await sql.rows<{ id: number }>(
    `SELECT id FROM categories WHERE companyId = ? AND softDelete = 0 AND ${typeof by === 'number' ? 'id' : 'activeName'} = ?`,
    [companyId, by],
  );
  return found?.id ?? null;
}
