import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { redisChecks } from '../../../cli/doctor/redis';
import { readInfo, versionFinding } from '../../../cli/doctor/redis/server';
import { loadConfig } from '../../../config/env';
import { guardFolder } from '../../../dev/servers/guard';
import { startPrivateRedis } from '../../../dev/servers/privateRedis';
import type { CheckResult } from '../../../shared/engine/checks/Check';
import { runChecks } from '../../../shared/engine/checks/runChecks';

/** A server of its own, whose settings a test may spoil. */
let url: string;
let admin: Redis;
let stop: () => Promise<void>;

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'invoicing-doctor-'));
  guardFolder(folder);
  const server = await startPrivateRedis({ dataDir: folder, durable: true, log: () => undefined });
  url = server.url;
  admin = new Redis(url);
  stop = async () => {
    // Redis does not end while it writes its first append-only file, after the tests have switched it off and on.
    await admin.config('SET', 'appendonly', 'no');
    admin.disconnect();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  };
});
afterAll(() => stop());

/** The results by the name of the check, without "Redis: ". */
async function examine(redisUrl = url): Promise<Record<string, CheckResult>> {
  const redis = redisChecks(loadConfig({ REDIS_URL: redisUrl }));
  try {
    const results = await runChecks(redis.checks, { wrongVariables: new Set() });
    return Object.fromEntries(results.map((result) => [result.name.replace('Redis: ', ''), result]));
  } finally {
    redis.close();
  }
}

test('a server as it should be › every check is ok', async () => {
  const results = await examine();
  expect(Object.values(results).map(({ name, status }) => `${name} ${status}`)).toEqual([
    'Redis: connection ok',
    'Redis: version ok',
    'Redis: scripts ok',
    'Redis: eviction ok',
    'Redis: persistence ok',
  ]);
});

describe('the connection', () => {
  test.each<[string, () => string, RegExp, RegExp]>([
    ['a wrong password', () => url.replace(/:[^:@]+@/, ':s3cret-word@'), /WRONGPASS/, /password in REDIS_URL/],
    ['no password', () => url.replace(/:[^:@]+@/, ''), /NOAUTH/, /password in REDIS_URL/],
    ['a closed port', () => 'redis://:s3cret-word@127.0.0.1:1', /ECONNREFUSED/, /Start Redis/],
    ['a database that does not exist', () => `${url}/99`, /database 99.*out of range/, /one Redis/],
  ])(
    '%s › broken, with what to do and no password; the other checks are skipped',
    async (_what, given, message, remedy) => {
      const { connection, ...others } = await examine(given());
      expect(connection).toMatchObject({ status: 'broken' });
      expect(connection?.message).toMatch(message);
      expect(connection?.remedy).toMatch(remedy);
      expect(JSON.stringify(connection)).not.toContain('s3cret-word');
      expect(JSON.stringify(connection)).not.toContain(new URL(url).password);
      expect(new Set(Object.values(others).map(({ status }) => status))).toEqual(new Set(['skipped']));
    },
  );
});

describe('the settings of the server', () => {
  test.each<[string, Record<string, string>, string, string, RegExp]>([
    ['evicts', { 'maxmemory-policy': 'allkeys-lru', maxmemory: '900mb' }, 'eviction', 'broken', /allkeys-lru: a full/],
    ['would evict', { 'maxmemory-policy': 'volatile-ttl' }, 'eviction', 'warning', /no effect while maxmemory is 0/],
    ['writes nothing to disk', { appendonly: 'no' }, 'persistence', 'warning', /nothing is written to disk/],
    ['only takes snapshots', { appendonly: 'no', save: '60 1' }, 'persistence', 'warning', /only snapshots/],
    ['is full', { maxmemory: '1' }, 'scripts', 'broken', /OOM/],
  ])('a server that %s › found', async (_what, settings, check, status, message) => {
    for (const [name, value] of Object.entries(settings)) await admin.config('SET', name, value);
    const results = await examine();
    const right = { 'maxmemory-policy': 'noeviction', maxmemory: '0', appendonly: 'yes', save: '' };
    for (const [name, value] of Object.entries(right)) await admin.config('SET', name, value);
    expect(results[check]).toMatchObject({ status, remedy: expect.any(String) as string });
    expect(results[check]?.message).toMatch(message);
  });

  test('a replica › broken', async () => {
    await admin.replicaof('127.0.0.1', 1);
    const { scripts } = await examine();
    await admin.replicaof('NO', 'ONE');
    expect(scripts).toMatchObject({ status: 'broken', remedy: expect.stringContaining('primary') as string });
  });

  test('an account without CONFIG › what is known is checked', async () => {
    await admin.call('ACL', 'SETUSER', 'limited', 'on', '>word', '~*', '+@all', '-config');
    await admin.config('SET', 'appendonly', 'no');
    const results = await examine(url.replace(/:[^:@]+@/, 'limited:word@'));
    await admin.config('SET', 'appendonly', 'yes');
    expect(Object.values(results).map(({ status }) => status)).toEqual(['ok', 'ok', 'ok', 'ok', 'ok']);
    expect(results['persistence']?.message).toContain('not known');
  });

  test.each([
    ['redis_version:4.0.14', 'broken'],
    ['redis_version:6.0.16', 'warning'],
    ['redis_version:6.2.0', 'ok'],
    ['redis_version:7.2.4\r\nvalkey_version:8.1.0', 'ok'],
  ])('%j › %s', (info, status) => expect(versionFinding(readInfo(info)).status).toBe(status));
});
