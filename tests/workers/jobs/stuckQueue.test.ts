import { stuckQueue } from '../../../config/queues';
import type { RedisClient } from '../../../shared/engine/redis/openClient';
import { WorkerPool } from '../../../workers/jobs/WorkerPool';
import { eventually } from '../../support/eventually';
import { openTestServices } from '../../support/installation';
import { collectLines } from '../../support/logLines';
import { shorten } from '../../support/shorten';

const { log, lines } = collectLines('warn');
const message = 'entries wait and none is taken: the worker connects to Redis anew';
const reopened = (): number => lines.filter(({ msg }) => msg === message).length;

beforeEach(() => shorten(stuckQueue, 'checkEveryMs', 50));

/** A pool of one slot that looks often, what it has processed, and the connections that it was given. */
async function openPool() {
  const services = await openTestServices({ log });
  const connections: RedisClient[] = [];
  const redis = Object.create(services.redis) as typeof services.redis;
  redis.connect = (kind) => {
    const connection = services.redis.connect(kind);
    connections.push(connection);
    return connection;
  };
  const processed: (string | undefined)[] = [];
  let held: Promise<void> = Promise.resolve();
  let release = (): void => undefined;
  const hold = (): void => void (held = new Promise((resolve) => (release = resolve)));
  const process = async ({ id }: { id: string | undefined }): Promise<{ done: null }> => {
    processed.push(id);
    await held;
    return { done: null };
  };
  const queue = { queue: 'schedule', concurrency: 1, process } as const;
  const pool = new WorkerPool({ ...services, redis }, [queue]);
  await pool.waitUntilReady();
  const add = (jobId: string): Promise<void> =>
    services.queues.add({ queue: 'schedule', name: 'scan', jobId, data: {} });
  return { services, connections, processed, hold, release: () => release(), pool, add };
}

test('a worker whose connection has ended for good › connects anew, and takes what waits', async () => {
  const { connections, processed, add, pool } = await openPool();
  await add('before');
  await eventually(() => processed.includes('before'));
  // What a client does that no longer tries to connect.
  connections[0]?.disconnect();
  await add('after');
  await eventually(() => processed.includes('after'));
  expect(reopened()).toBe(1);
  expect(connections).toHaveLength(2);
  expect(pool.isRunning).toBe(true);
  await pool.drain(1_000);
});

test('a worker whose slots are taken, or whose queue rests or is paused › stays connected, however much waits', async () => {
  const before = reopened();
  const { services, connections, processed, hold, release, pool, add } = await openPool();
  const checks = jest.spyOn(services.queues, 'hasReadyEntries');
  hold();
  await add('first');
  await eventually(() => processed.includes('first'));
  await add('second');
  release();
  await eventually(() => processed.includes('second'));
  pool.pauseOnly(new Set(['schedule']));
  await add('third');
  pool.pauseOnly(new Set());
  await eventually(() => processed.includes('third'));
  // Nothing waits: it looks, again and again.
  await eventually(() => checks.mock.calls.length > 10);
  expect([connections.length, reopened()]).toEqual([1, before]);
  await pool.drain(1_000);
});
