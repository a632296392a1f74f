import type { Sql } from './sql';

/** Companies of one page. From 1,000 values on, MariaDB reads the whole index for an IN. */
const PAGE = 512;

/** Iterates over the ids of all companies in pages, in order. */
export async function* companyPages(sql: Sql): AsyncGenerator<number[]> {
  const page = `SELECT id FROM companies WHERE id > ? ORDER BY id LIMIT ${PAGE}`;
  for (let after = 0; ;) {
    const rows = await sql.rows<{ id: number }>(page, [after]);
    if (rows.length > 0) yield rows.map(({ id }) => id);
    if (rows.length < PAGE) return;
    after = rows.at(-1)?.id ?? 0;
  }
}

/** Returns the ids of all companies, in order. */
export async function allCompanies(sql: Sql): Promise<number[]> {
  const all: number[] = [];
  for await (const ids of companyPages(sql)) all.push(...ids);
  return all;
}
