import { createPool, type Pool, type PoolConnection, type ResultSetHeader } from 'mysql2';

/** A pool or connection that runs statements. */
export type Runner = Pick<Pool | PoolConnection, 'execute'>;

/** Opens the driver's own pool, with as many connections as the API has. */
export function bareDatabase(): Pool {
  const uri = process.env['DATABASE_URL'] ?? '';
  return createPool({ uri, connectionLimit: 20, maxIdle: 20, dateStrings: true, charset: 'utf8mb4_unicode_520_ci' });
}

/** Runs a prepared statement and returns its rows. */
export function rows<T>(on: Runner, sql: string, values: (string | number | null)[]): Promise<T[]> {
  return new Promise((resolve, reject) => {
    on.execute(sql, values, (error, result) => (error ? reject(error) : resolve(result as T[])));
  });
}

/** Runs a prepared statement and returns its insert id. */
export function run(on: Runner, sql: string, values: (string | number | null)[]): Promise<number> {
  return new Promise((resolve, reject) => {
    on.execute<ResultSetHeader>(sql, values, (error, result) => (error ? reject(error) : resolve(result.insertId)));
  });
}
