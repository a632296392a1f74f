import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConnection, type Connection } from 'mysql2/promise';
import { durabilityFinding } from '../../../cli/doctor/mysql/durability';
import { mysqlChecks } from '../../../cli/doctor/mysql';
import { sessionFinding } from '../../../cli/doctor/mysql/session';
import { versionFinding } from '../../../cli/doctor/mysql/version';
import { loadConfig } from '../../../config/env';
import { projectRoot } from '../../../config/paths';
import { ensureDatabase } from '../../../dev/servers/ensureDatabase';
import { guardFolder } from '../../../dev/servers/guard';
import { startPrivateMysql } from '../../../dev/servers/privateMysql';
import type { CheckResult } from '../../../shared/engine/checks/Check';
import { runChecks } from '../../../shared/engine/checks/runChecks';
import { migrateUp } from '../../../shared/engine/migrations/migrate';

/** A durable server of its own, whose settings a test may spoil. */
let url: string;
let admin: Connection;
const ends: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'invoicing-doctor-'));
  guardFolder(folder);
  const server = await startPrivateMysql({ dataDir: join(folder, 'mysql'), durable: true, log: () => undefined });
  ends.unshift(() => server.stop().then(() => rmSync(folder, { recursive: true, force: true })));
  url = `${server.url}/invoicing`;
  await ensureDatabase(url);
  await migrateUp(url);
  const socketPath = join(folder, 'mysql/data/mysql.sock');
  const { password } = new URL(server.url);
  admin = await createConnection({ socketPath, user: 'root', password, database: 'invoicing' });
  ends.unshift(() => admin.end());
});
afterAll(async () => {
  for (const end of ends) await end();
});

/** The results by the name of the check, without "MySQL: ". */
async function examine(databaseUrl = url, pool = '20'): Promise<Record<string, CheckResult>> {
  const mysql = mysqlChecks(loadConfig({ DATABASE_URL: databaseUrl, DATABASE_POOL_SIZE: pool }));
  try {
    const results = await runChecks(mysql.checks, { wrongVariables: new Set() });
    return Object.fromEntries(results.map((result) => [result.name.replace('MySQL: ', ''), result]));
  } finally {
    await mysql.close();
  }
}

const as = (user: string, password: string): string => url.replace(/\/\/[^@]+@/, `//${user}:${password}@`);
const tables = async (): Promise<unknown> => (await admin.query("SHOW TABLES LIKE 'doctor%'"))[0];

test('a server as it should be › every check is ok, and nothing is left of them', async () => {
  const results = await examine();
  expect(Object.values(results).map(({ name, status }) => [name, status])).toEqual(
    Object.values(results).map(({ name }) => [name, 'ok']),
  );
  expect(Object.keys(results)).toHaveLength(8);
  expect(await tables()).toEqual([]);
});

describe('the connection', () => {
  test.each<[string, () => string, RegExp, RegExp]>([
    ['a wrong password', () => as('invoicing', 's3cret-word'), /Access denied/, /password in DATABASE_URL/],
    ['a closed port', () => 'mysql://root:s3cret-word@127.0.0.1:1/x', /ECONNREFUSED/, /Start MySQL/],
    ['a missing database', () => url.replace(/invoicing$/, 'none'), /none/, /CREATE DATABASE none/],
    ['TLS that the server does not offer', () => `${url}?ssl-mode=REQUIRED`, /secure connection/, /Switch TLS on/],
  ])(
    '%s › broken, with what to do and no password; the other checks are skipped',
    async (_what, given, message, remedy) => {
      const { connection, ...others } = await examine(given());
      expect(connection).toMatchObject({ status: 'broken' });
      expect(connection?.message).toMatch(message);
      expect(connection?.remedy).toMatch(remedy);
      expect(JSON.stringify(connection)).not.toContain('s3cret-word');
      expect(new Set(Object.values(others).map(({ status }) => status))).toEqual(new Set(['skipped']));
    },
  );
});

describe('the settings of the server', () => {
  test.each([
    ['innodb_flush_log_at_trx_commit', '2', '1', 'durable commits', /innodb_flush_log_at_trx_commit is 2/],
    ['max_connections', '30', '400', 'connections', /accepts 30 connections; .* use up to 41/],
    ['read_only', '1', '0', 'session', /read-only/],
  ])('%s=%s › broken, and named', async (variable, wrong, right, check, message) => {
    await admin.query(`SET GLOBAL ${variable} = ${wrong}`);
    const results = await examine();
    await admin.query(`SET GLOBAL ${variable} = ${right}`);
    expect(results[check]).toMatchObject({ status: 'broken' });
    expect(results[check]?.message).toMatch(message);
    expect(results[check]?.remedy).toContain(variable);
  });

  test('a binary log that is not flushed or of statements, a proxy that drops settings, torn pages › found', () => {
    const durable = { innodb_flush_log_at_trx_commit: '1', log_bin: 'ON', sync_binlog: '1' };
    expect(durabilityFinding(durable).status).toBe('ok');
    expect(durabilityFinding({ ...durable, sync_binlog: '0' })).toMatchObject({
      status: 'broken',
      message: expect.stringContaining('sync_binlog is 0') as string,
    });
    expect(durabilityFinding({ ...durable, innodb_doublewrite: 'OFF' }).status).toBe('warning');
    const session = { transaction_isolation: 'READ-COMMITTED', sql_mode: 'STRICT_ALL_TABLES', time_zone: '+00:00' };
    expect(sessionFinding(session).status).toBe('ok');
    expect(sessionFinding({ ...session, log_bin: 'ON', binlog_format: 'STATEMENT' }).status).toBe('broken');
    expect(sessionFinding({ tx_isolation: 'REPEATABLE-READ', sql_mode: '', time_zone: 'SYSTEM' })).toMatchObject({
      status: 'broken',
      message: expect.stringMatching(/REPEATABLE-READ, sql_mode is not strict, time_zone is SYSTEM/) as string,
    });
  });

  test.each([
    ['8.0.36', 'ok'],
    ['9.1.0', 'ok'],
    ['5.7.44-log', 'broken'],
    ['10.6.2-MariaDB', 'ok'],
    ['11.4.2-MariaDB-ubu2404', 'ok'],
    ['10.5.23-MariaDB', 'broken'],
  ])('version %s › %s', (version, status) => expect(versionFinding(version).status).toBe(status));
});

describe('the schema', () => {
  test('a migration that has not run › broken; one of a newer version › warning', async () => {
    await admin.query("UPDATE schema_migrations SET name = 'a-newer-one' ORDER BY name DESC LIMIT 1");
    const { migrations: pending } = await examine();
    await admin.query('DELETE FROM schema_migrations WHERE name = ?', ['a-newer-one']);
    // No column is added twice: the newest migration is only recorded.
    const [missing] = /\d{14}\S+/.exec(pending?.message ?? '') ?? [''];
    await admin.query('INSERT INTO schema_migrations (name) VALUES (?), (?)', [missing, 'a-newer-one']);
    const { migrations: newer } = await examine();
    await admin.query('DELETE FROM schema_migrations WHERE name = ?', ['a-newer-one']);
    expect(pending).toMatchObject({ status: 'broken', remedy: expect.stringContaining('migrate up') as string });
    expect(newer).toMatchObject({ status: 'warning', message: expect.stringContaining('a-newer-one') as string });
  });

  test('before the first migration › all are pending, and the account is judged all the same', async () => {
    await admin.query('CREATE DATABASE fresh');
    const { migrations, privileges } = await examine(url.replace(/invoicing$/, 'fresh'));
    expect(migrations?.message).toMatch(/^\d\d migrations have not run/);
    expect(privileges?.status).toBe('ok');
  });
});

describe('the privileges of the account', () => {
  test.each([
    ['SELECT', 'broken', /lacks INSERT, UPDATE, DELETE/],
    ['SELECT, INSERT, UPDATE, DELETE', 'warning', /lacks DROP: it cannot run migrations/],
    ['SELECT, INSERT, UPDATE, DELETE, DROP', 'warning', /lacks CREATE/],
    ['SELECT, INSERT, UPDATE, DELETE, DROP, CREATE', 'warning', /lacks ALTER, INDEX, REFERENCES/],
  ])('%s alone › %s, and no table is left', async (granted, status, message) => {
    await admin.query("DROP USER IF EXISTS 'limited'@'%'");
    await admin.query("CREATE USER 'limited'@'%' IDENTIFIED BY 'word'");
    await admin.query(`GRANT ${granted} ON invoicing.* TO 'limited'@'%'`);
    const { privileges } = await examine(as('limited', 'word'));
    expect(privileges).toMatchObject({ status });
    expect(privileges?.message).toMatch(message);
    expect(await tables()).toEqual([]);
  });
});

test('ops/database.sql › makes accounts that may do what each has to and no more, with any password, encoded in the URL', async () => {
  const password = 'p@s:s/w%r?d#1';
  const statements = readFileSync(join(projectRoot, 'ops/database.sql'), 'utf8')
    .replaceAll(/CHANGE-ME(-TOO)?/g, password)
    .replaceAll(/\binvoicing(?=\b|_)/g, 'billing')
    .split(/;\n/);
  for (const statement of statements.filter((text) => text.trim() !== '')) await admin.query(statement);
  const urlOf = (user: string): string => as(user, encodeURIComponent(password)).replace(/invoicing$/, 'billing');

  await expect(migrateUp(urlOf('billing'))).rejects.toThrow(/denied/);
  await migrateUp(urlOf('billing_migrate'));
  const service = await examine(urlOf('billing'));
  expect(service['connection']).toMatchObject({
    status: 'ok',
    message: expect.stringContaining('billing@%') as string,
  });
  expect(service['migrations']).toMatchObject({ status: 'ok' });
  expect(service['privileges']).toMatchObject({
    status: 'warning',
    message: expect.stringMatching(/may read and write/) as string,
  });
  expect((await examine(urlOf('billing_migrate')))['privileges']).toMatchObject({ status: 'ok' });
});

describe('the clock of this machine', () => {
  test.each([
    [5_000, 'warning', /5\.\d s ahead of/],
    [-3_600_000, 'broken', /36\d\d\.\d s behind/],
  ])('%i ms wrong › %s', async (shiftMs, status, message) => {
    const now = Date.now.bind(Date);
    const shifted = jest.spyOn(Date, 'now').mockImplementation(() => now() + shiftMs);
    const { clock } = await examine();
    shifted.mockRestore();
    expect(clock).toMatchObject({ status });
    expect(clock?.message).toMatch(message);
  });
});
