import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mysqlChecks } from '../../cli/doctor/mysql';
import { loadConfig } from '../../config/env';
import { ensureDatabase } from '../../dev/servers/ensureDatabase';
import { guardFolder } from '../../dev/servers/guard';
import { startPrivateMysql } from '../../dev/servers/privateMysql';
import { migrateUp } from '../../shared/engine/migrations/migrate';
import { openDatabase } from '../../shared/engine/db/sequelize';
import { pooledSql, type Sql } from '../../shared/engine/db/sql';
import { LeaseConnection } from '../../workers/jobs/LeaseConnection';
import { selfSigned } from '../support/certificate';
import { eventually } from '../support/eventually';
import { atEnd, installation } from '../support/installation';
import { startApiProcess } from '../support/processes';

/** Takes no connection without TLS. Its certificate is its own authority. */
interface TlsServer {
  certificate: string;
  url: (mode: string) => string;
}

/** Starts one that is reached as `localhost`, with a certificate for `name`. */
async function startTlsServer(name: string): Promise<TlsServer> {
  const folder = mkdtempSync(join(tmpdir(), 'invoicing-tls-'));
  guardFolder(folder);
  const made = selfSigned(name);
  const [certificate, key] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')];
  writeFileSync(certificate, made.cert);
  writeFileSync(key, made.key);
  const tls = { certificate, key };
  const server = await startPrivateMysql({ dataDir: join(folder, 'mysql'), durable: false, log: () => undefined, tls });
  atEnd(async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const plainUrl = `${server.url.replace('127.0.0.1', 'localhost')}/invoicing`;
  const url = (mode: string): string => (mode === '' ? plainUrl : `${plainUrl}?ssl-mode=${mode}`);
  await ensureDatabase(url('REQUIRED'));
  await migrateUp(url('REQUIRED'));
  return { certificate, url };
}

let server: TlsServer;
beforeAll(async () => {
  server = await startTlsServer('localhost');
});

async function withSql<T>(url: string, use: (sql: Sql) => Promise<T>): Promise<T> {
  const config = loadConfig({ ...(await installation()), DATABASE_URL: url });
  const database = openDatabase(config, []);
  try {
    return await use(pooledSql(database));
  } finally {
    await database.close();
  }
}

const cipher = (sql: Sql) => sql.rows<{ Value: string }>("SHOW SESSION STATUS LIKE 'Ssl_cipher'");

/** Waits until /readyz says so of an API process that connects with this URL and trusts these authorities. */
async function becomes(expected: RegExp, url: string, authorities: string): Promise<void> {
  const api = await startApiProcess({
    ...(await installation()),
    DATABASE_URL: url,
    XENDIT_CALLBACK_TOKEN: 'x',
    NODE_EXTRA_CA_CERTS: authorities,
  });
  // Redis is connected to at the same time.
  await eventually(async () => expected.test(await (await fetch(`${api.url}/readyz`)).text()));
  await api.end('SIGKILL');
}

describe('a connection to MySQL with', () => {
  test('no ssl-mode › is not encrypted, and is refused by a server that demands it', async () => {
    await expect(withSql(server.url(''), cipher)).rejects.toThrow(/Access denied|secure.transport/i);
  });

  test('ssl-mode=REQUIRED › is encrypted, whoever signed the certificate', async () => {
    const [row] = await withSql(server.url('REQUIRED'), cipher);
    expect(row?.Value).toMatch(/^(TLS|ECDHE)/);
  });

  test.each(['VERIFY_CA', 'VERIFY_IDENTITY'])(
    'ssl-mode=%s › refuses an authority that Node.js does not know, in the pool, for leases and for migrations',
    async (mode) => {
      const leases = new LeaseConnection(server.url(mode));
      await expect(withSql(server.url(mode), cipher)).rejects.toThrow(/self[- ]signed/i);
      await expect(leases.renew({ id: 1, attempt: 1 }, new Date())).rejects.toThrow(/self[- ]signed/i);
      await expect(migrateUp(server.url(mode))).rejects.toThrow(/self[- ]signed/i);
    },
  );

  test.each([
    ['VERIFY_IDENTITY', /self[- ]signed/i, /NODE_EXTRA_CA_CERTS/],
    ['', /Access denied|secure.transport/i, /ssl-mode=VERIFY_IDENTITY/],
  ])('ssl-mode=%s › `doctor` says what is missing', async (mode, message, remedy) => {
    const mysql = mysqlChecks(loadConfig({ DATABASE_URL: server.url(mode) }));
    const connection = await mysql.connection.run();
    await mysql.close();
    expect(connection).toMatchObject({
      status: 'broken',
      message: expect.stringMatching(message) as string,
      remedy: expect.stringMatching(remedy) as string,
    });
  });

  test('ssl-mode=VERIFY_IDENTITY and the authority in NODE_EXTRA_CA_CERTS › works', async () => {
    await becomes(/"status":"ready"/, server.url('VERIFY_IDENTITY'), server.certificate);
  });

  test('a certificate of another host name › is refused by VERIFY_IDENTITY, and taken by VERIFY_CA', async () => {
    const other = await startTlsServer('mysql.example');
    await becomes(/"status":"ready"/, other.url('VERIFY_CA'), other.certificate);
    await becomes(/the database/, other.url('VERIFY_IDENTITY'), other.certificate);
  });
});
