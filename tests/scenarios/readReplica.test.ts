import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { mysqlChecks } from '../../cli/doctor/mysql';
import { loadConfig } from '../../config/env';
import { ensureDatabase } from '../../dev/servers/ensureDatabase';
import { guardFolder } from '../../dev/servers/guard';
import { Replication } from '../../proof/installation/MysqlServers';
import { metricsText } from '../../shared/engine/metrics';
import { runChecks } from '../../shared/engine/checks/runChecks';
import { MAX_LAG_MS } from '../../shared/engine/replica/Replica';
import { migrateUp } from '../../shared/engine/migrations/migrate';
import { eventually } from '../support/eventually';
import { createCompany } from '../support/factories';
import { startApi, type TestApi } from '../support/server';
import { startTcpProxy } from '../support/tcpProxy';

const dataDir = mkdtempSync(join(tmpdir(), 'invoicing-replica-'));
let servers: Replication;
/** Two processes of one installation. */
let apis: [TestApi, TestApi];
let token: string;
let env: { DATABASE_URL: string; DATABASE_READ_URL: string };

/** Requests that may be read at the replica, by where they were read. */
async function readAt(reader: 'replica' | 'primary'): Promise<number> {
  const [, value] =
    new RegExp(`^invoicing_replica_requests_total{reader="${reader}"} (\\d+)$`, 'm').exec(await metricsText()) ?? [];
  return Number(value ?? 0);
}

/** Resolves when an API reads at the replica. */
async function untilRead(api: TestApi): Promise<void> {
  await eventually(async () => {
    const before = await readAt('replica');
    await namesAt(api);
    return (await readAt('replica')) > before;
  });
}

/** Returns the names of the categories that a key sees at an API. */
async function namesAt(api: TestApi, key = token): Promise<string[]> {
  const { body } = await api.as(key).get('/api/categories?limit=100').expect(200);
  return (body as { data: { name: string }[] }).data.map(({ name }) => name);
}

const create = (api: TestApi, name: string, key = token): Promise<unknown> =>
  api.as(key).post('/api/categories').send({ name }).expect(201);

async function newKey(): Promise<string> {
  const { body } = await apis[0]
    .as(token)
    .post('/api/api-keys')
    .send({ name: 'another', scopes: ['write'] })
    .expect(201);
  return (body as { token: string }).token;
}

beforeAll(async () => {
  guardFolder(dataDir);
  servers = await Replication.start(dataDir, () => undefined);
  env = { DATABASE_URL: `${servers.primary.url}/invoicing`, DATABASE_READ_URL: `${servers.replica.url}/invoicing` };
  await ensureDatabase(env.DATABASE_URL);
  await migrateUp(env.DATABASE_URL);
  apis = [await startApi({ env }), await startApi({ env })];
  ({ token } = await createCompany(apis[0].services));
  await Promise.all(apis.map(untilRead));
});
// After what is connected to them has closed its connections.
afterAll(async () => {
  await servers.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

test('lists, reports and files are read at the replica, a single record at the primary', async () => {
  const [api] = apis;
  // In the replica alone, so that it shows where a request was read.
  await servers.replica.ask('SET SESSION sql_log_bin = 0', "UPDATE invoicing.companies SET name = 'Replica'");
  // While the machine stalls, the primary is read.
  await eventually(async () => {
    const [replica, primary] = [await readAt('replica'), await readAt('primary')];
    const csv = await api.as(token).get('/api/reports/receivables').set('Accept', 'text/csv').expect(200);
    const { body } = await api.as(token).get('/api/company').expect(200);
    expect((body as { name: string }).name).not.toBe('Replica');
    await api.as(token).get('/api/events').expect(200);
    await api.as(token).get('/api/company/logo').expect(404);
    const counts = [(await readAt('replica')) - replica, (await readAt('primary')) - primary];
    return counts.join() === '2,0' && csv.headers['content-disposition']?.includes('Replica');
  });
});

test('a replica that is behind › a key sees what it wrote on any API, and others read at the replica', async () => {
  const other = await newKey();
  await servers.replica.ask('STOP SLAVE', 'CHANGE MASTER TO master_delay = 2', 'START SLAVE');
  await apis[0].as(token).get('/api/categories').expect(200);
  for (let count = 0; count < 10; count++) {
    await create(apis[0], `own ${count}`);
    expect(await namesAt(apis[1])).toContain(`own ${count}`);
  }
  let name = '';
  // On a slow machine the replica may show it before it is read.
  await eventually(async () => {
    name = `shown later ${performance.now()}`;
    await create(apis[0], name);
    return !(await namesAt(apis[1], other)).includes(name);
  });
  await eventually(async () => (await namesAt(apis[1], other)).includes(name));
  await servers.replica.ask('STOP SLAVE', 'CHANGE MASTER TO master_delay = 0', 'START SLAVE');
});

test('nine reads to a write › no key misses what it wrote, and at least 70 % is read at the replica', async () => {
  const keys = await Promise.all(Array.from({ length: 6 }, newKey));
  const written = new Map(keys.map((key): [string, string[]] => [key, []]));
  // After a stall of the machine, reads go to the primary until the replica has responded.
  let share = 0;
  for (let rounds = 0; rounds < 3 && share < 0.7; rounds++) share = await shareAtReplica(written);
  expect(share).toBeGreaterThanOrEqual(0.7);
});

/** Sends nine reads to each write of these keys. Returns the share of the reads that were at the replica. */
async function shareAtReplica(writtenBy: ReadonlyMap<string, string[]>): Promise<number> {
  await untilRead(apis[0]);
  const [replica, primary] = [await readAt('replica'), await readAt('primary')];
  let turn = 0;
  await Promise.all(
    [...writtenBy].map(async ([key, written], index) => {
      let writeMs = 0;
      for (let request = 0; request < 40; request++) {
        const api = apis[turn++ % 2] as TestApi;
        if (request % 10 === 0) {
          const begun = performance.now();
          const name = `${index}.${written.length}`;
          await create(api, name, key);
          written.push(name);
          writeMs = performance.now() - begun;
        } else expect(await namesAt(api, key)).toEqual(expect.arrayContaining(written));
        // Each key sends ten requests a second, and fewer on a machine on which replication takes longer as well.
        await sleep(Math.max(100, 4 * writeMs));
      }
    }),
  );
  const [atReplica, atPrimary] = [(await readAt('replica')) - replica, (await readAt('primary')) - primary];
  expect(atReplica + atPrimary).toBe(writtenBy.size * 36);
  return atReplica / (atReplica + atPrimary);
}

test('Redis is unreachable › the primary is read', async () => {
  const redis = await startTcpProxy(String(process.env['TEST_REDIS_URL']));
  const api = await startApi({ env: { ...env, REDIS_URL: redis.url } });
  await untilRead(api);
  redis.cut();
  const [replica, primary] = [await readAt('replica'), await readAt('primary')];
  expect(await namesAt(api)).toContain('own 9');
  expect([(await readAt('replica')) - replica, (await readAt('primary')) - primary]).toEqual([0, 1]);
  redis.restore();
});

test('a statement that takes too long at the replica › is not repeated at the primary, and others are read there', async () => {
  const api = await startApi({ env: { ...env, DATABASE_TIMEOUT_MS: '3000' } });
  await untilRead(api);
  const atPrimary = jest.spyOn(api.services.sql, 'rows');
  const statement = 'SELECT SLEEP(10)';
  // After a stall of the machine, the primary is read.
  await eventually(async () => {
    atPrimary.mockClear();
    const reader = await api.services.replica?.reader(0);
    await expect(reader?.rows(statement)).rejects.toMatchObject({ code: 'ETIMEDOUT' });
    return !atPrimary.mock.calls.some(([text]) => text === statement);
  });
  await untilRead(api);
});

test('a replica that stops to follow › is not read after five seconds, and is read when it follows again', async () => {
  await untilRead(apis[0]);
  await servers.replica.ask('STOP SLAVE');
  await sleep(MAX_LAG_MS);
  const before = await readAt('primary');
  await namesAt(apis[0]);
  expect(await readAt('primary')).toBe(before + 1);
  await servers.replica.ask('START SLAVE');
  await untilRead(apis[0]);
});

test('a replica that is killed › no request fails, and it is read when it is back', async () => {
  await untilRead(apis[0]);
  const before = await readAt('primary');
  const killed = new AbortController();
  const reading = Array.from({ length: 4 }, async (_, index) => {
    while (!killed.signal.aborted || (await readAt('primary')) === before) await namesAt(apis[index % 2] as TestApi);
  });
  await servers.replica.kill();
  killed.abort();
  await Promise.all(reading);
  expect(await namesAt(apis[0])).toContain('own 9');
  await servers.replica.start();
  await untilRead(apis[0]);
});

test('doctor › the replica is found, and how far behind it is', async () => {
  const found = async (readUrl: string) => {
    const mysql = mysqlChecks(loadConfig({ ...env, DATABASE_READ_URL: readUrl }));
    const results = await runChecks(mysql.checks, { wrongVariables: new Set() });
    await mysql.close();
    return results.find(({ name }) => name === 'MySQL: replica');
  };
  expect(await found(env.DATABASE_READ_URL)).toMatchObject({
    status: 'ok',
    message: expect.stringMatching(/^database invoicing of 127\.0\.0\.1:\d+ showed a change after \d+ ms$/) as string,
  });
  expect(await found(env.DATABASE_READ_URL.replace('invoicing:loopback', 'invoicing:wrong'))).toMatchObject({
    status: 'broken',
    message: expect.stringContaining('cannot be used') as string,
  });
  await servers.replica.ask('STOP SLAVE');
  expect(await found(env.DATABASE_READ_URL)).toMatchObject({
    status: 'broken',
    message: expect.stringContaining('does not show a change') as string,
  });
  await servers.replica.ask('START SLAVE');
});
