import type { Sql } from '../db';
import { NotFound } from '../errors';

/**
 * Checks that the record in the path of a request exists.
 * @throws {NotFound} when absent, another company's, or deleted (unless `includeDeleted`).
 */
export async function requireRecord(
  sql: Sql,
  companyId: number,
  { name, table }: { name: string; table: 'invoices' | 'expenses' },
  id: number,
  { includeDeleted = false } = {},
): Promise<void> {
  const [found] = await sql.rows<{ softDelete: 0 | 1 }>(
    `SELECT softDelete FROM ${table} WHERE companyId = ? AND id = ?`,
    [companyId, id],
  );
  if (found === undefined || (found.softDelete === 1 && !includeDeleted)) throw new NotFound(name);
}
