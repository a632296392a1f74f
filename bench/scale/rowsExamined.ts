import type { Sql } from '../../shared/engine/db';

/**
 * Returns how many rows and entries of indexes MySQL reads in `work`, and in how many statements.
 * @param sql has one connection, whose reads are counted
 */
export async function rowsExamined(
  sql: Sql,
  work: (sql: Sql) => Promise<unknown>,
): Promise<{ rows: number; statements: number }> {
  let statements = 0;
  const counted: Sql = {
    rows: (...given) => ((statements += 1), sql.rows(...given)),
    rowsWithin: (...given) => ((statements += 1), sql.rowsWithin(...given)),
    run: (...given) => ((statements += 1), sql.run(...given)),
  };
  await readsSoFar(sql);
  const first = await readsSoFar(sql);
  // Looking counts itself.
  const look = (await readsSoFar(sql)) - first;
  const before = await readsSoFar(sql);
  await work(counted);
  return { rows: (await readsSoFar(sql)) - before - look, statements };
}

async function readsSoFar(sql: Sql): Promise<number> {
  const rows = await sql.rows<{ Value: string }>("SHOW SESSION STATUS LIKE 'Handler_read%'");
  return rows.reduce((sum, { Value }) => sum + Number(Value), 0);
}
