import type { Pool, PoolConnection } from 'mysql2';

/** Runs `work` between START TRANSACTION and COMMIT, without a rollback: an error ends the benchmark. */
export async function bareTransaction<T>(pool: Pool, work: (connection: PoolConnection) => Promise<T>): Promise<T> {
  const connection = await borrow(pool);
  try {
    await plain(connection, 'START TRANSACTION');
    const result = await work(connection);
    await plain(connection, 'COMMIT');
    return result;
  } finally {
    connection.release();
  }
}

function borrow(pool: Pool): Promise<PoolConnection> {
  return new Promise((resolve, reject) => {
    pool.getConnection((error, connection) => (error ? reject(error) : resolve(connection)));
  });
}

function plain(connection: PoolConnection, sql: string): Promise<void> {
  return new Promise((resolve, reject) => {
    connection.query(sql, (error) => (error ? reject(error) : resolve()));
  });
}
