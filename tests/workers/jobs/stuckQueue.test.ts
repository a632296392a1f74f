import { setImmediate } from 'node:timers/promises';
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

// So long that only the test checks: a machine that is busy for some checks in a row is not stuck.
beforeEach(() => shorten(stuckQueue, 'checkEveryMs', 1_000_000));

/** A pool of one slot that checks when the test says so, what it has processed, and the connections that it was given. */
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
  const intervals = jest.spyOn(globalThis, 'setInterval');
  const pool = new WorkerPool({ ...services, redis }, [queue]);
  const look = intervals.mock.calls.find(([, ms]) => ms === stuckQueue.checkEveryMs)?.[0] as () => void;
  intervals.mockRestore();
  const looks = jest.spyOn(services.queues, 'hasReadyEntries');
  const check = async (times: number): Promise<void> => {
    for (let time = 0; time < times; time += 1) {
      look();
      await looks.mock.results.at(-1)?.value;
      await setImmediate();
    }
  };
  await pool.waitUntilReady();
  const add = (jobId: string): Promise<void> =>
    services.queues.add({ queue: 'schedule', name: 'scan', jobId, data: {} });
  const isReady = (): Promise<boolean> => services.queues.hasReadyEntries('schedule');
  return { connections, processed, hold, release: () => release(), pool, add, check, isReady };
}

test('a worker whose connection has ended for good › connects anew, and takes what waits', async () => {
  const { connections, processed, add, pool, check, isReady } = await openPool();
  await add('before');
  await eventually(() => processed.includes('before') && pool.running === 0);
  // What a client does that no longer tries to connect.
  connections[0]?.disconnect();
  // On a busy machine it takes one more, if it was not waiting yet.
  let added = 0;
  await eventually(async () => {
    await add(`after-${(added += 1)}`);
    return isReady();
  });
  // The first check finds that an entry was taken.
  await check(stuckQueue.checks);
  expect([connections.length, reopened()]).toEqual([1, 0]);
  await check(1);
  expect([connections.length, reopened()]).toEqual([2, 1]);
  await eventually(() => processed.includes(`after-${added}`));
  expect(pool.isRunning).toBe(true);
  await pool.drain(1_000);
});

test('a worker whose slots are taken, or whose queue rests or is paused › stays connected, however much waits', async () => {
  const before = reopened();
  const { connections, processed, hold, release, pool, add, check, isReady } = await openPool();
  const many = 2 * stuckQueue.checks;
  hold();
  await add('first');
  await eventually(() => processed.includes('first'));
  await add('second');
  await eventually(isReady);
  await check(many);
  release();
  await eventually(() => processed.includes('second'));
  pool.pauseOnly(new Set(['schedule']));
  await add('third');
  await check(many);
  pool.pauseOnly(new Set());
  await eventually(() => processed.includes('third'));
  // Nothing waits.
  await check(many);
  expect([connections.length, reopened()]).toEqual([1, before]);
  await pool.drain(1_000);
});
