import { readDatabaseUrl } from '../config/databaseUrl';
import { reasonOf } from '../shared/engine/checks';
import { driverError } from '../shared/engine/db';

/** Returns the host and port of the server in a DATABASE_URL. */
export function serverOf(databaseUrl: string): string {
  const { hostname, port } = new URL(readDatabaseUrl(databaseUrl).url);
  return `${hostname}:${port || '3306'}`;
}

/** Returns the name of the database in a DATABASE_URL. */
export function databaseOf(databaseUrl: string): string {
  return decodeURIComponent(new URL(readDatabaseUrl(databaseUrl).url).pathname.slice(1));
}

/** Returns why the server cannot be used, in its own words and without the password. `remedy` is null if unknown. */
export function connectionProblem(databaseUrl: string, error: unknown): { message: string; remedy: string | null } {
  const driver = driverError(error);
  return {
    message: `${serverOf(databaseUrl)} cannot be used: ${reasonOf(driver)}`,
    remedy: remedies[driver.errno ?? 0]?.(databaseOf(databaseUrl)) ?? remediesByCode[driver.code ?? ''] ?? null,
  };
}

const wrongAccount = (): string =>
  'Correct the user and the password in DATABASE_URL. They are parts of a URL: encode @ : / ? # % in them. A server that takes the ' +
  'account only over TLS needs ?ssl-mode=VERIFY_IDENTITY.';
const full = (): string => 'Raise max_connections of MySQL, or lower DATABASE_POOL_SIZE of the processes.';

const remedies: Readonly<Record<number, (database: string) => string>> = {
  // ER_ACCESS_DENIED_ERROR, ER_ACCESS_DENIED_NO_PASSWORD_ERROR
  1045: wrongAccount,
  1698: wrongAccount,
  // ER_DBACCESS_DENIED_ERROR
  1044: (database) => `GRANT the user of DATABASE_URL its privileges on the database ${database}.`,
  // ER_BAD_DB_ERROR
  1049: (database) =>
    `CREATE DATABASE ${database} CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_520_ci, then run \`migrate up\`.`,
  // ER_CON_COUNT_ERROR, ER_TOO_MANY_USER_CONNECTIONS, ER_USER_LIMIT_REACHED
  1040: full,
  1203: full,
  1226: full,
  // ER_SECURE_TRANSPORT_REQUIRED
  3159: () => 'Add ?ssl-mode=VERIFY_IDENTITY to DATABASE_URL: the server takes no connection without TLS.',
};

const remediesByCode: Readonly<Record<string, string>> = {
  ECONNREFUSED:
    'Start MySQL, or correct host and port in DATABASE_URL. The servers of `npm start` run as long as it does; for a second copy set DATA_DIR in each ' +
    'command: DATA_DIR=.data2.',
  HANDSHAKE_NO_SSL_SUPPORT: 'Switch TLS on in MySQL, or take ssl-mode out of DATABASE_URL.',
  HANDSHAKE_SSL_ERROR:
    "Let NODE_EXTRA_CA_CERTS name the file of the certificate's authority, or correct the host name in DATABASE_URL.",
};
