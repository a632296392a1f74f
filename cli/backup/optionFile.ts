import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { extraAuthoritiesFile } from '../../config/env';
import { readDatabaseUrl, type DatabaseTls } from '../../config/databaseUrl';

/**
 * Runs `work` with an option file for the programs of MySQL or MariaDB, and removes it. The password is in a file that only
 * this user can read, not in the arguments, which every user of the machine can see.
 */
export async function withOptionFile<T>(
  databaseUrl: string,
  isMariadb: boolean,
  work: (optionFile: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'invoicing-backup-'));
  try {
    const authorities = join(folder, 'authorities.pem');
    const path = join(folder, 'client.cnf');
    await writeFile(authorities, await authoritiesOfNode(), { mode: 0o600 });
    await writeFile(path, optionsText(databaseUrl, isMariadb, authorities), { mode: 0o600 });
    return await work(path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns the content of the option file. `authorities` is a file of certificates. */
export function optionsText(databaseUrl: string, isMariadb: boolean, authorities: string): string {
  const { url, ssl } = readDatabaseUrl(databaseUrl);
  const { hostname, port, username, password } = new URL(url);
  const options: [string, string][] = [
    ['host', hostname.replace(/^\[|\]$/g, '')],
    ['port', port || '3306'],
    // Never a socket, which "localhost" would mean: the service connects by TCP.
    ['protocol', 'tcp'],
    ['user', decodeURIComponent(username)],
    ['password', decodeURIComponent(password)],
    ...(isMariadb ? tlsOfMariadb(ssl, authorities) : tlsOfMysql(ssl, authorities)),
  ];
  return `[client]\n${options.map(([name, value]) => `${name}="${escaped(value)}"`).join('\n')}\n`;
}

function tlsOfMysql(ssl: DatabaseTls | undefined, authorities: string): [string, string][] {
  // Without TLS, an account's password is encrypted with the server's key.
  if (ssl === undefined)
    return [
      ['ssl-mode', 'DISABLED'],
      ['get-server-public-key', 'TRUE'],
    ];
  if (!ssl.rejectUnauthorized) return [['ssl-mode', 'REQUIRED']];
  return [
    ['ssl-mode', ssl.verifyIdentity ? 'VERIFY_IDENTITY' : 'VERIFY_CA'],
    ['ssl-ca', authorities],
  ];
}

/** MariaDB's programs verify the host's name whenever they verify the certificate. */
function tlsOfMariadb(ssl: DatabaseTls | undefined, authorities: string): [string, string][] {
  if (ssl === undefined) return [['ssl', '0']];
  if (!ssl.rejectUnauthorized)
    return [
      ['ssl', '1'],
      ['ssl-verify-server-cert', '0'],
    ];
  return [
    ['ssl', '1'],
    ['ssl-verify-server-cert', '1'],
    ['ssl-ca', authorities],
  ];
}

/** Returns the certificates that Node.js trusts: its own list, and NODE_EXTRA_CA_CERTS. */
async function authoritiesOfNode(): Promise<string> {
  const extra = extraAuthoritiesFile();
  return [...rootCertificates, ...(extra ? [await readFile(extra, 'utf8')] : [])].join('\n');
}

function escaped(value: string): string {
  return value.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n');
}
