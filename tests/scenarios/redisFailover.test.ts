import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { redisChecks } from '../../cli/doctor/redis';
import { loadConfig } from '../../config/env';
import { guardFolder } from '../../dev/servers/guard';
import { startRedisCluster, startRedisSentinels, type RedisServers } from '../../proof/installation/RedisServers';
import { runChecks } from '../../shared/engine/checks/runChecks';
import { createLogger } from '../../shared/engine/log/log';
import { guardRedis } from '../../shared/engine/redis/guardRedis';
import { disconnectRedis, RedisConnections } from '../../shared/engine/redis/RedisConnections';
import { eventually } from '../support/eventually';
import { createInvoice } from '../support/factories';
import { Effects, jobIdOf } from '../support/workers';

const log = createLogger('silent', 'test');
const stops: (() => Promise<void>)[] = [];
// After what is connected to them has closed its connections.
afterAll(() => Promise.all(stops.map((stop) => stop())));

/** Starts servers that end after the last test. */
async function startServers(start: typeof startRedisSentinels): Promise<RedisServers> {
  const dataDir = mkdtempSync(join(tmpdir(), 'invoicing-engines-'));
  guardFolder(dataDir);
  const servers = await start(dataDir, () => undefined);
  stops.push(async () => {
    await servers.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });
  return servers;
}

describe.each([
  ['a Redis Cluster', startRedisCluster, 'redis+sentinel', /is none; list the Sentinels/],
  ['Sentinels', startRedisSentinels, 'redis+cluster', /as a node of a Redis Cluster, which it is not/],
] as const)('%s', (_what, start, otherForm, message) => {
  let servers: RedisServers;
  beforeAll(async () => void (servers = await startServers(start)));

  test('in REDIS_URL › a process starts, and doctor finds each primary as it should be', async () => {
    await guardRedis(servers.url, log);
    const redis = redisChecks(loadConfig({ REDIS_URL: servers.url }));
    const results = await runChecks(redis.checks, { wrongVariables: new Set() });
    redis.close();
    expect(results.map(({ status, message }) => [status, message])).toEqual(
      Array.from({ length: 5 }, () => ['ok', expect.any(String) as string]),
    );
  });

  test('written as the other › no process starts, and the error says how to write it', async () => {
    const other = servers.url.replace(/^redis\+\w+/, otherForm).replace(/(?<=:\d+)(?:\/.*)?$/, '');
    await expect(
      guardRedis(otherForm === 'redis+sentinel' ? `${other}/name?sentinel-password=loopback` : other, log),
    ).rejects.toThrow(message);
  });

  test('that lose a primary › jobs are done before and after, and reports arrive', async () => {
    const effects = await Effects.start({ REDIS_URL: servers.url });
    const { queues, eventSignals, config } = effects.services;
    await eventually(() => queues.isConnected);
    await queues.check();
    const reported: string[] = [];
    eventSignals.onNumbered((newest) => reported.push([...newest.keys()].join()));
    const { pool } = await effects.startPool(['payment-link', 'schedule']);
    const { as, invoice, companyId, clientId } = await effects.invoice();
    const linksAndWaits = async (invoiceId: number): Promise<void> => {
      const jobId = jobIdOf(
        await as.post(`/api/invoices/${invoiceId}/create-gateway-invoice`).set('Prefer', 'respond-async'),
      );
      await eventually(async () => (await effects.job(jobId)).status === 'done');
    };
    await linksAndWaits(invoice.id);
    const key = `${config.queuePrefixes['payment-link']}:payment-link:meta`;
    const primary = await servers.primaryOf(key);
    await primary?.kill();
    await eventually(async () => (await servers.primaryOf(key)) !== undefined);
    await eventually(async () => {
      const { status } = await as.get('/readyz');
      return status === 200;
    });
    const another = await createInvoice(effects.services, companyId, { clientId });
    await linksAndWaits(another.id);
    await eventually(() => {
      eventSignals.numbered(new Map([[7, 1]]));
      return reported.includes('7');
    });
    expect(pool.isRunning).toBe(true);
    await primary?.start();
  });
});

test('a primary that is cut off while the Sentinels name another › connections that expect no reply change to that one too', async () => {
  const servers = await startServers(startRedisSentinels);
  const connections = new RedisConnections(servers.url, log);
  const idle = connections.connect('subscriber') as Redis;
  await once(idle, 'ready');
  const primary = await servers.primaryOf('');
  primary?.signal('SIGSTOP');
  try {
    const [reason] = (await once(idle, 'error')) as [Error];
    expect(reason.message).toBe('the Sentinels name another primary');
    await once(idle, 'ready');
    expect((await idle.role())[0]).toBe('master');
  } finally {
    primary?.signal('SIGCONT');
    disconnectRedis(idle);
    connections.close();
  }
});
