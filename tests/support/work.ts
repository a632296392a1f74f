import type { Sql } from '../../shared/engine/db/sql';

/** What statements of one session have cost the server. */
export interface StatementWork {
  /** Rows and entries of indexes that were read. */
  read: number;
  /** Locks of rows and of entries of indexes that the transaction holds: two for a row that was found by another index than its key. */
  locked: number;
}

/** Counts what the statements of `use` read, and the locks that they leave. `sql` is that of a transaction. */
export async function workOf(sql: Sql, use: () => Promise<unknown>): Promise<StatementWork> {
  const [readBefore, lockedBefore] = [await readsOf(sql), await locksOf(sql)];
  await use();
  return { read: (await readsOf(sql)) - readBefore, locked: (await locksOf(sql)) - lockedBefore };
}

async function readsOf(sql: Sql): Promise<number> {
  // Entries that a condition on the index leaves out count as attempts, on the server that counts them.
  const rows = await sql.rows<{ Value: string }>(
    "SHOW SESSION STATUS WHERE Variable_name LIKE 'Handler_read%' OR Variable_name = 'Handler_icp_attempts'",
  );
  return rows.reduce((sum, { Value }) => sum + Number(Value), 0);
}

async function locksOf(sql: Sql): Promise<number> {
  const [row] = await sql.rows<{ locked: number }>(
    'SELECT trx_rows_locked AS locked FROM information_schema.INNODB_TRX WHERE trx_mysql_thread_id = CONNECTION_ID()',
  );
  return Number(row?.locked ?? 0);
}
