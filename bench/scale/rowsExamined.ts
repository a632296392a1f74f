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
  // Reading the status counts as well.
  const own = (await readsSoFar(sql)) - first;
  const before = await readsSoFar(sql);
  await work(counted);
  return { rows: (await readsSoFar(sql)) - before - own, statements };
}

/** MariaDB counts index entries that it rejects within the index separately; MySQL does not count them. */
async function readsSoFar(sql: Sql): Promise<number> {
  const rows = await sql.rows<{ Variable_name: string; Value: string }>("SHOW SESSION STATUS LIKE 'Handler_%'");
  const sum = (names: RegExp): number =>
    rows.reduce((total, { Variable_name: name, Value }) => total + (names.test(name) ? Number(Value) : 0), 0);
  return sum(/^Handler_(read_|icp_attempts)/) - sum(/^Handler_icp_match/);
}
