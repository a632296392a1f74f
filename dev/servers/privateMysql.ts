import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { createConnection } from 'mysql2/promise';
import { findBinary } from './findBinary';
import { installProblem } from './installProblem';
import { startPrivateServer, type PrivateServer, type PrivateServerOptions } from './serverProcess';

const run = promisify(execFile);
const user = 'invoicing';

export interface PrivateMysqlOptions extends PrivateServerOptions {
  /** Files of a certificate and its key: then the server offers TLS, and takes no connection without. */
  readonly tls?: { readonly certificate: string; readonly key: string };
}

/** Returns the path of the installed MariaDB or MySQL server, or undefined. */
export function findMysql(): string | undefined {
  return findBinary('mariadbd', 'mysqld');
}

/**
 * Starts a MySQL or MariaDB server on a loopback port, after ending one that was left running in the same folder. `url`
 * has a user with all privileges and no database. @throws {Error} with instructions when the machine has no such server
 * or it does not start.
 */
export async function startPrivateMysql(options: PrivateMysqlOptions): Promise<PrivateServer> {
  const { dataDir, durable, tls, args = [] } = options;
  const command = findMysql();
  if (command === undefined) throw new Error(installProblem(['mysql']));
  return startPrivateServer(options, async ({ password, port }) => {
    const initFile = join(dataDir, 'init.sql');
    writeFileSync(initFile, accountSql(password), { mode: 0o600 });
    const data = join(dataDir, 'data');
    // A starting server empties its folder of temporary tables, so each needs its own.
    const tmp = join(dataDir, 'tmp');
    mkdirSync(tmp, { recursive: true, mode: 0o700 });
    if (!existsSync(data)) await initialise(command, data, tmp);
    const url = `mysql://${user}:${password}@127.0.0.1:${port}`;
    return {
      ...{ name: 'MySQL', command, url },
      args: [...serverArguments({ data, tmp, initFile, port, durable, tls }), ...args],
      isReady: () => responds(url, tls !== undefined),
    };
  });
}

/** Creates our account, and sets a password for root, which every user of the machine could use without one. */
function accountSql(password: string): string {
  return [
    // Each server creates its own account, also a replica.
    'SET SESSION sql_log_bin = 0;',
    `CREATE USER IF NOT EXISTS '${user}'@'%' IDENTIFIED BY '${password}';`,
    `GRANT ALL PRIVILEGES ON *.* TO '${user}'@'%' WITH GRANT OPTION;`,
    `ALTER USER 'root'@'localhost' IDENTIFIED BY '${password}';`,
    '',
  ].join('\n');
}

/** Creates the system tables in another folder first, so that an interrupted start leaves no incomplete one. */
async function initialise(binary: string, data: string, tmp: string): Promise<void> {
  const unfinished = `${data}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  const folders = [`--datadir=${unfinished}`, `--tmpdir=${tmp}`, ...(process.getuid?.() === 0 ? ['--user=root'] : [])];
  const { stdout: version } = await run(binary, ['--no-defaults', '--version']);
  try {
    if (/mariadb/i.test(version)) {
      const installer = findBinary('mariadb-install-db', 'mysql_install_db');
      if (installer === undefined) throw new Error(`mariadb-install-db, which comes with ${binary}, is missing`);
      await run(installer, ['--no-defaults', '--skip-test-db', '--skip-name-resolve', ...folders]);
    } else {
      await run(binary, ['--no-defaults', '--initialize-insecure', ...folders]);
    }
  } catch (error) {
    const hint = existsSync('/etc/apparmor.d/usr.sbin.mysqld')
      ? `\nUbuntu's AppArmor profile keeps mysqld out of ${dirname(data)}: install mariadb-server instead, or set DATABASE_URL to a running MySQL.`
      : '';
    throw new Error(`${binary} could not make its system tables: ${(error as Error).message}${hint}`, { cause: error });
  }
  renameSync(unfinished, data);
}

function serverArguments(of: {
  data: string;
  tmp: string;
  initFile: string;
  port: number;
  durable: boolean;
  tls: PrivateMysqlOptions['tls'];
}): string[] {
  return [
    '--no-defaults',
    ...(process.getuid?.() === 0 ? ['--user=root'] : []),
    `--datadir=${of.data}`,
    `--tmpdir=${of.tmp}`,
    // The default folder belongs to the package's own service, and may not exist.
    `--secure-file-priv=${of.tmp}`,
    `--init-file=${of.initFile}`,
    // Relative to the data folder, so that a deep DATA_DIR does not hit the 107 characters of a socket's path.
    '--socket=mysql.sock',
    '--pid-file=mysql.pid',
    '--bind-address=127.0.0.1',
    `--port=${of.port}`,
    '--loose-mysqlx=OFF',
    '--skip-name-resolve',
    '--skip-log-bin',
    '--local-infile=OFF',
    '--performance-schema=OFF',
    '--character-set-server=utf8mb4',
    '--collation-server=utf8mb4_unicode_520_ci',
    '--max-connections=400',
    '--innodb-buffer-pool-size=256M',
    ...(of.tls ? [`--ssl-cert=${of.tls.certificate}`, `--ssl-key=${of.tls.key}`, '--require-secure-transport=ON'] : []),
    ...(of.durable ? [] : ['--innodb-flush-log-at-trx-commit=0', '--skip-innodb-doublewrite']),
  ];
}

async function responds(url: string, overTls: boolean): Promise<boolean> {
  try {
    const ssl = overTls ? { ssl: { rejectUnauthorized: false } } : {};
    const connection = await createConnection({ uri: url, connectTimeout: 1_000, ...ssl });
    await connection.end();
    return true;
  } catch {
    // Not yet: the caller stops after a while, and reports the server's log.
    return false;
  }
}
