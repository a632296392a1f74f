import { placeholders, type SqlValue } from '../../shared/engine/db/sql';
import type { Services } from '../../shared/services';

const rowsPerInsert = 500;

/** Inserts rows in large statements. The values of each row are in the order of the columns. */
export async function insertMany(
  { sql }: Services,
  table: string,
  columns: readonly string[],
  rows: readonly SqlValue[][],
): Promise<void> {
  for (let from = 0; from < rows.length; from += rowsPerInsert) {
    const batch = rows.slice(from, from + rowsPerInsert);
    const values = batch.map(() => `(${placeholders(columns.length)})`).join(', ');
    await sql.run(`INSERT INTO ${table} (${columns.join(', ')}) VALUES ${values}`, batch.flat());
  }
}
