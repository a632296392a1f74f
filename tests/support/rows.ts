import type { Sql } from '../../shared/engine/db/sql';

/** Returns the names of what `use` reads beside each item but the first of a record: columns that are not of the item, and not NULL. */
export async function besideOtherItems(sql: Sql, use: (sql: Sql) => Promise<unknown>): Promise<string[][]> {
  const found: string[][] = [];
  const rows: Sql['rows'] = async <Row extends object>(...statement: Parameters<Sql['rows']>) => {
    const read = await sql.rows<Row & { item_position?: number }>(...statement);
    for (const row of read) {
      const names = Object.entries(row).filter(([name, value]) => value !== null && !name.startsWith('item_'));
      if (row.item_position !== 0) found.push(names.map(([name]) => name));
    }
    return read;
  };
  await use({ ...sql, rows });
  return found;
}
