import { toSqlTime } from '../engine/db';
import { ENDED_KEPT_DAYS } from '../engine/records';
import type { Services } from '../services';

/** Categories of one transaction. */
const BATCH = 500;

interface Deleted {
  id: number;
  companyId: number;
  updatedAt: string;
  isUsed: 0 | 1;
}

/**
 * Removes categories that were deleted over 30 days ago and that no expense has, until the deadline. Returns how many. A deleted category
 * gets no new expenses, so one that has none stays without.
 */
export async function removeDeletedCategories({ sql, clock }: Services, deadline: number): Promise<number> {
  const before = toSqlTime(new Date(clock.now().getTime() - ENDED_KEPT_DAYS * 86_400_000));
  let removed = 0;
  let from = { updatedAt: '1000-01-01', id: 0 };
  while (performance.now() < deadline) {
    const found = await sql.rows<Deleted>(
      `SELECT c.id, c.companyId, c.updatedAt,
          EXISTS (SELECT 1 FROM expenses e WHERE e.companyId = c.companyId AND e.categoryId = c.id) AS isUsed
        FROM categories c FORCE INDEX (categories_deleted)
        WHERE c.softDelete = 1 AND c.updatedAt >= ? AND c.updatedAt < ? AND (c.updatedAt > ? OR c.id > ?)
        ORDER BY c.updatedAt, c.id LIMIT ${BATCH}`,
      [from.updatedAt, before, from.updatedAt, from.id],
    );
    for (const { companyId, id, isUsed } of found) {
      if (isUsed === 1) continue;
      const where = 'companyId = ? AND id = ? AND softDelete = 1';
      removed += (await sql.run(`DELETE FROM categories WHERE ${where}`, [companyId, id])).affectedRows;
    }
    from = found.at(-1) ?? from;
    if (found.length < BATCH) break;
  }
  return removed;
}
