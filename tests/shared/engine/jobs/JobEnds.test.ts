import { setImmediate } from 'node:timers/promises';
import { redisKeys } from '../../../../config/redisKeys';
import { createLogger } from '../../../../shared/engine/log/log';
import { JobEndHints } from '../../../../shared/engine/jobs/JobEndHints';
import { JobEnds } from '../../../../shared/engine/jobs/JobEnds';
import { RedisConnections } from '../../../../shared/engine/redis/RedisConnections';

const log = createLogger('silent', 'test');
let ended: Map<number, string>;
let reads: number[][];
let fails: boolean;
/** Queries that run, and the most of them that ran at the same time. */
let running: number;
let mostAtATime: number;
let hints: JobEndHints;
let ends: JobEnds<string>;
/** Of a caller that does not leave. */
const { signal: stays } = new AbortController();

beforeEach(() => {
  [ended, reads, fails] = [new Map(), [], false];
  [running, mostAtATime] = [0, 0];
  const url = 'redis://127.0.0.1:1';
  // Without queues there is no connection either.
  hints = new JobEndHints([], new RedisConnections(url, log), redisKeys(url, '{test}').queuePrefixes, log);
  const read = async (jobIds: readonly number[]): Promise<Map<number, string>> => {
    reads.push([...jobIds]);
    mostAtATime = Math.max(mostAtATime, ++running);
    await setImmediate();
    running--;
    if (fails) throw new Error('MySQL is unreachable');
    return new Map(ended);
  };
  ends = new JobEnds(hints, read, log);
});

test('jobs that have ended › one query for all of them', async () => {
  ended = new Map([1, 2, 3].map((id) => [id, `end of ${id}`]));
  expect(await Promise.all([1, 2, 3].map((id) => ends.wait(id, 60_000, stays)))).toEqual([
    'end of 1',
    'end of 2',
    'end of 3',
  ]);
  expect(reads).toEqual([[1, 2, 3, 3]]);
});

test('thousands of waiters › batches, and one query at a time', async () => {
  const all = Array.from({ length: 3_000 }, (_, id) => ends.wait(id, 50, stays));
  expect(new Set(await Promise.all(all))).toEqual(new Set([null]));
  expect(reads.every((ids) => ids.length <= 512)).toBe(true);
  expect(reads.length).toBeLessThan(100);
  expect(mostAtATime).toBe(1);
});

test('its time is over › null, after a last read', async () => {
  const waiting = ends.wait(7, 30, stays);
  while (reads.length === 0) await setImmediate();
  ended.set(7, 'just in time');
  expect(await waiting).toBe('just in time');
  expect(await ends.wait(8, 0, stays)).toBeNull();
});

test('MySQL is unreachable › goes on waiting, and is read again', async () => {
  fails = true;
  const waiting = ends.wait(7, 60_000, stays);
  while (reads.length === 0) await setImmediate();
  fails = false;
  ended.set(7, 'done');
  expect(await waiting).toBe('done');
});

test('the process stops › null, now and for later ones', async () => {
  const waiting = ends.wait(7, 60_000, stays);
  while (reads.length === 0) await setImmediate();
  hints.endWaiting();
  expect(await waiting).toBeNull();
  expect(await ends.wait(8, 60_000, stays)).toBeNull();
});

test('the caller leaves › null, and nothing is read for it any more', async () => {
  const caller = new AbortController();
  const waiting = ends.wait(7, 60_000, caller.signal);
  while (reads.length === 0) await setImmediate();
  caller.abort();
  expect(await waiting).toBeNull();
  const { length } = reads;
  expect(await ends.wait(8, 60_000, caller.signal)).toBeNull();
  for (let turns = 0; turns < 5; turns++) await setImmediate();
  expect(reads).toHaveLength(length);
});
