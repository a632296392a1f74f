import { createConnection } from 'mysql2/promise';
import { readDatabaseUrl } from '../../config/databaseUrl';

/**
 * Creates the database that the URL names unless it exists. An account without the right to create one can use one that
 * exists.
 * @throws when the server cannot be reached, refuses the account, or has no such database; the message names what to
 * check.
 */
export async function ensureDatabase(databaseUrl: string): Promise<void> {
  const { url, ssl } = readDatabaseUrl(databaseUrl);
  const { hostname, port, pathname, username } = new URL(url);
  const name = decodeURIComponent(pathname.slice(1));
  const server = new URL(url);
  server.pathname = '/';
  try {
    const connection = await createConnection({ uri: server.href, connectTimeout: 10_000, ...(ssl && { ssl }) });
    try {
      const [existing] = await connection.query('SHOW DATABASES LIKE ?', [name.replace(/[\\%_]/g, '\\$&')]);
      if ((existing as unknown[]).length === 0) {
        await connection.query(
          'CREATE DATABASE IF NOT EXISTS ?? CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_520_ci',
          [name],
        );
      }
    } finally {
      await connection.end();
    }
  } catch (error) {
    throw new Error(
      `The database ${name} on ${hostname}:${port || '3306'} cannot be used as ${username}: ` +
        `${(error as Error).message || (error as NodeJS.ErrnoException).code}. Check DATABASE_URL.`,
      { cause: error },
    );
  }
}
