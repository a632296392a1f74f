import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { guardFolder } from '../../dev/servers/guard';
import { startPrivateRedis } from '../../dev/servers/privateRedis';
import { redisKeys } from '../../config/redisKeys';
import { JobEndHints } from '../../shared/engine/jobs/JobEndHints';
import { createLogger } from '../../shared/engine/log/log';
import { guardRedis } from '../../shared/engine/redis/guardRedis';
import type { RedisClient } from '../../shared/engine/redis/openClient';
import { disconnectRedis, RedisConnections } from '../../shared/engine/redis/RedisConnections';
import { eventually } from '../support/eventually';
import { installation } from '../support/installation';
import { startApiProcess, startWorkerProcess } from '../support/processes';
import { startApi } from '../support/server';
import { Effects, jobIdOf } from '../support/workers';

const log = createLogger('silent', 'test');
const withPassword = (url: string, password: string): string => url.replace(/:[^:@]+@/, `:${password}@`);
const closed = (redis: RedisClient): Promise<void> => new Promise((resolve) => redis.once('close', resolve));

const stops: (() => Promise<void>)[] = [];
// After what is connected to them has closed its connections.
afterAll(() => Promise.all(stops.map((stop) => stop())));

/** Starts a Redis of its own; ends after the last test. */
async function startRedis(...args: string[]): Promise<{ url: string; admin: Redis }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'invoicing-redis-'));
  guardFolder(dataDir);
  const server = await startPrivateRedis({ dataDir, durable: false, log: () => undefined, args });
  const admin = new Redis(server.url, { lazyConnect: true });
  stops.push(async () => {
    admin.disconnect();
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });
  return { url: server.url, admin };
}

describe('a process whose REDIS_URL names', () => {
  test.each([
    [
      'a node of a cluster',
      ['--cluster-enabled', 'yes'],
      '',
      /REDIS_URL names a node of a Redis Cluster .*single Redis/,
    ],
    ['a Sentinel', ['--sentinel'], '', /REDIS_URL names a Sentinel .*primary that the Sentinel watches/],
    ['a database that does not exist', [], '/99', /REDIS_URL names the database 99, .*out of range.*16 by default/],
  ])('%s › does not start, and says what to do', async (_what, args, path, message) => {
    const { url } = await startRedis(...args);
    await expect(guardRedis(`${url}${path}`, log)).rejects.toThrow(message);
    const env = { ...(await installation()), REDIS_URL: `${url}${path}` };
    await expect(startApiProcess(env)).rejects.toThrow(message);
    await expect(startWorkerProcess({ ...env, WORKER_QUEUES: 'schedule' })).rejects.toThrow(message);
  });

  test('a usable server › starts, in a database of its own too', async () => {
    const { url } = await startRedis();
    await guardRedis(url, log);
    await guardRedis(`${url}/15`, log);
  });

  test('a server that does not take the password yet › starts, and asks again: what is wrong then ends it', async () => {
    const { url, admin } = await startRedis();
    const exit = jest.spyOn(process, 'exit').mockImplementation(() => undefined as never);
    const shown = jest.spyOn(console, 'error').mockImplementation(() => undefined);
    await guardRedis(`${withPassword(url, 'another')}/99`, log);
    expect(exit).not.toHaveBeenCalled();
    await admin.config('SET', 'requirepass', 'another');
    await eventually(() => exit.mock.calls.length > 0);
    expect(shown).toHaveBeenCalledWith(expect.stringContaining('names the database 99'));
  });
});

describe('/readyz', () => {
  test.each<[string, (admin: Redis) => Promise<unknown>]>([
    ['READONLY', (admin) => admin.replicaof('127.0.0.1', 1)],
    ['OOM', (admin) => admin.config('SET', 'maxmemory', '1')],
    ['NOPERM', (admin) => admin.call('ACL', 'SETUSER', 'default', '-@scripting')],
  ])('of a Redis that replies %s to the queues’ scripts › 503 that says so, until it is right', async (code, spoil) => {
    const { url, admin } = await startRedis();
    const api = await startApi({ env: { REDIS_URL: url } });
    const ready = async (): Promise<{ status: number; body: { detail?: string } }> => api.as().get('/readyz');
    await eventually(async () => (await ready()).status === 200);
    await spoil(admin);
    const { status, body } = await ready();
    expect([status, body.detail]).toEqual([503, `Redis refuses what the queues need (${code}) at the moment`]);
    await admin.replicaof('NO', 'ONE');
    await admin.config('SET', 'maxmemory', '0');
    await admin.call('ACL', 'SETUSER', 'default', '+@all');
    expect((await ready()).status).toBe(200);
  });
});

describe('a Redis that refuses', () => {
  test('the first command of a listener › it listens as soon as the command is allowed', async () => {
    const { url, admin } = await startRedis();
    await admin.call('ACL', 'SETUSER', 'default', '-client');
    const connections = new RedisConnections(url, log);
    const { queuePrefixes } = redisKeys(url, '{listener}');
    const refused = jest.spyOn(connections, 'report');
    const hints = new JobEndHints(['pdf'], connections, queuePrefixes, log);
    await eventually(() => refused.mock.calls.some(([{ message }]) => message.startsWith('NOPERM')));
    await admin.call('ACL', 'SETUSER', 'default', '+client');
    const ended = new Promise((resolve) => hints.subscribe('1', resolve));
    const entry = ['event', 'completed', 'jobId', '1', 'returnvalue', '"printed"'];
    // What is announced before it listens is not heard.
    const announce = setInterval(() => void admin.xadd(`${queuePrefixes.pdf}:pdf:events`, '*', ...entry), 100);
    expect(await ended).toEqual({ returnvalue: 'printed' });
    clearInterval(announce);
    await hints.close();
    connections.close();
  });

  test('the password › one warning says so, however often the connections try', async () => {
    const { url, admin } = await startRedis();
    const [warn, info] = [jest.spyOn(log, 'warn'), jest.spyOn(log, 'info')];
    const connections = new RedisConnections(withPassword(url, 'wrong'), log);
    const redis = [connections.connect('producer'), connections.connect('blocking'), connections.connect('blocking')];
    for (let tries = 0; tries < 3; tries++) await Promise.all(redis.map(closed));
    expect(warn.mock.calls).toEqual([
      [
        expect.objectContaining({ err: expect.stringMatching(/^WRONGPASS /) as string }),
        expect.stringContaining('refuses'),
      ],
    ]);
    await admin.config('SET', 'requirepass', 'wrong');
    await eventually(() => redis.every(({ status }) => status === 'ready'));
    expect(info.mock.calls).toEqual([['Redis is back']]);
    jest.restoreAllMocks();
    redis.forEach(disconnectRedis);
  });

  test('the database › is not used: nothing is written into database 0 in its place', async () => {
    const { url, admin } = await startRedis();
    const redis = new RedisConnections(`${url}/99`, log).connect('blocking');
    // Waits for the connection, which never is ready.
    const written = redis.set('ours', '1').catch(() => 'never');
    for (let tries = 0; tries < 2; tries++) await closed(redis);
    expect(redis.status).not.toBe('ready');
    expect(await admin.exists('ours')).toBe(0);
    redis.once('connect', () => disconnectRedis(redis));
    expect(await written).toBe('never');
  });

  test('a worker’s scripts › the worker waits, says so rarely, and goes on when they are taken', async () => {
    const { url, admin } = await startRedis();
    const effects = await Effects.start({ REDIS_URL: url });
    await eventually(() => effects.services.queues.isConnected);
    const warn = jest.spyOn(effects.services.log, 'warn');
    const refusals = (): unknown[][] => warn.mock.calls.filter(([, message]) => /refuses what/.test(String(message)));
    const { pool } = await effects.startPool(['payment-link']);
    await admin.replicaof('127.0.0.1', 1);
    await eventually(() => refusals().length > 0);
    expect(pool.isRunning).toBe(true);
    await admin.replicaof('NO', 'ONE');
    const { as, invoice } = await effects.invoice();
    const path = `/api/invoices/${invoice.id}/create-gateway-invoice`;
    const jobId = jobIdOf(await as.post(path).set('Prefer', 'respond-async').expect(202));
    await eventually(async () => (await effects.job(jobId)).status === 'done');
    // One, and a second if this took longer than the first pause of ten seconds; never one for each try.
    expect(refusals().length).toBeLessThanOrEqual(2);
  });
});
