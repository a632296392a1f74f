import { Job, Queue } from 'bullmq';
import { queueTurns } from '../../../../config/queues';
import { createLogger } from '../../../../shared/engine/log/log';
import { QueueTurns, UNPLACED, type Flow } from '../../../../shared/engine/jobs/QueueTurns';
import type { JobQueues } from '../../../../shared/engine/jobs/JobQueues';
import { atEnd, openTestServices } from '../../../support/installation';

const queueName = 'email';
let queues: JobQueues;
let queue: Queue;
/** Another process's. */
let turns: QueueTurns;
let prefix: string;
beforeAll(async () => {
  const services = await openTestServices();
  queues = services.queues;
  const connection = services.redis.connect('blocking');
  prefix = services.config.redisPrefix;
  turns = new QueueTurns(queues.redis, services.config.queuePrefixes, createLogger('silent', 'test'));
  queue = new Queue(queueName, { connection, prefix: services.config.redisPrefix, skipVersionCheck: true });
  atEnd(async () => {
    await queue.close();
    connection.disconnect();
  });
});
afterEach(async () => {
  await queue.obliterate({ force: true });
  await forgetTurns();
});

const turnKeys = (): Promise<string[]> => queues.redis.keys(`${prefix}:turns:*`);
async function forgetTurns(): Promise<void> {
  const keys = await turnKeys();
  if (keys.length > 0) await queues.redis.del(...keys);
}
/** Jobs of the flow held a slot for this long. */
async function ran(flow: Flow, ...times: number[]): Promise<void> {
  for (const ms of times) turns.ran(queueName, flow, ms);
  await turns.settle();
}
const waitedFor = (companyId: number): Flow => ({ companyId, isWaitedFor: true });
const inTheBackground = (companyId: number): Flow => ({ companyId, isWaitedFor: false });
const add = (jobId: string, flow: Flow, delayMs = 0) =>
  queues.add({ queue: queueName, name: 'x', jobId, data: {}, flow, delayMs });
/** Adds `count` jobs, `name-1` first. */
async function backlog(name: string, flow: Flow, count: number): Promise<void> {
  for (let n = 1; n <= count; n++) await add(`${name}-${n}`, flow);
}
/** The ids of the waiting jobs in the order in which workers get them. */
const order = async () => (await queue.getPrioritized()).map(({ id }) => id);

describe('companies take turns at a queue', () => {
  test('one job of another company comes right after the next of a long backlog', async () => {
    await backlog('many', inTheBackground(1), 200);
    await add('single', inTheBackground(2));
    expect((await order()).indexOf('single')).toBe(1);
  });

  test('a company that comes later gets every second job, and no share of the past', async () => {
    await backlog('a', inTheBackground(1), 8);
    for (const done of ['a-1', 'a-2', 'a-3', 'a-4', 'a-5']) await queues.remove(queueName, done);
    await backlog('b', inTheBackground(2), 3);
    expect(await order()).toEqual(['a-6', 'b-1', 'a-7', 'b-2', 'a-8', 'b-3']);
  });

  test('many companies with one job each are served in the order of their arrival', async () => {
    await backlog('many', inTheBackground(1), 3);
    for (const company of [2, 3, 4]) await add(`single-${company}`, inTheBackground(company));
    expect(await order()).toEqual(['many-1', 'single-2', 'single-3', 'single-4', 'many-2', 'many-3']);
  });

  test('jobs that a request waits for come first, and the others still get a third of the time', async () => {
    await backlog('reminder', inTheBackground(1), 3);
    await backlog('request', waitedFor(2), 6);
    const first = ['request-1', 'reminder-1', 'request-2', 'request-3', 'reminder-2', 'request-4', 'request-5'];
    expect(await order()).toEqual([...first, 'reminder-3', 'request-6']);
  });

  test('companies that used less than their part go before a backlog with what they saved, in the order of their arrival', async () => {
    await backlog('many', waitedFor(1), 20);
    for (let done = 1; done <= 10; done++) await queues.remove(queueName, `many-${done}`);
    for (const company of [2, 3, 4]) await add(`single-${company}`, waitedFor(company));
    await backlog('burst', waitedFor(5), 8);
    const saved = queueTurns.savedMs / queueTurns.firstMs;
    const found = await order();
    expect(found.slice(0, 4)).toEqual(['single-2', 'single-3', 'single-4', 'burst-1']);
    expect([saved, saved + 1].map((n) => found.indexOf(`burst-${n}`) < found.indexOf('many-11'))).toEqual([
      true,
      false,
    ]);
  });

  test('a job that a request waits for goes before those that were deferred before it came, however far turns went on meanwhile', async () => {
    for (let n = 1; n <= 20; n++) await add(`deferred-${n}`, inTheBackground(1), 60_000);
    await ran(inTheBackground(1), ...Array.from({ length: 100 }, () => 1_000));
    await add('single-1', waitedFor(2));
    await queues.remove(queueName, 'single-1');
    await ran(waitedFor(2), queueTurns.firstMs);
    await add('single-2', waitedFor(2));
    for (let n = 1; n <= 20; n++) await queues.promote(queueName, `deferred-${n}`);
    expect((await order()).indexOf('single-2')).toBeLessThanOrEqual(1);
  });

  test('a burst that is added at the same time has one turn a job', async () => {
    await Promise.all(Array.from({ length: 100 }, (_, n) => add(`burst-${n}`, inTheBackground(1))));
    await add('single', inTheBackground(2));
    expect((await order()).indexOf('single')).toBeLessThanOrEqual(1);
  });

  test('a job that is added again keeps its turn, and costs none', async () => {
    await backlog('a', inTheBackground(1), 2);
    for (let again = 0; again < 5; again++) await add('a-1', inTheBackground(1));
    await add('a-3', inTheBackground(1));
    await backlog('b', inTheBackground(2), 3);
    expect(await order()).toEqual(['a-1', 'b-1', 'a-2', 'b-2', 'a-3', 'b-3']);
  });

  test('a delayed job has its turn when it is due', async () => {
    await add('later', inTheBackground(1), 60_000);
    await backlog('a', inTheBackground(1), 2);
    await queues.promote(queueName, 'later');
    expect(await order()).toHaveLength(3);
    expect((await order()).indexOf('later')).toBe(0);
  });

  test('a job that is no longer delayed, or was never added › stays as it is when it is to start now', async () => {
    // Both processes have found it delayed.
    jest.spyOn(Job.prototype, 'isDelayed').mockResolvedValue(true);
    await add('started', inTheBackground(1));
    await Promise.all(['started', 'none'].map((jobId) => queues.promote(queueName, jobId)));
    expect(await order()).toEqual(['started']);
  });

  test('a job that cannot be started now › is the error of Redis', async () => {
    await add('later', inTheBackground(1), 60_000);
    const delayed = queue.toKey('delayed');
    await queues.redis.multi().del(delayed).set(delayed, 'of another type').exec();
    await expect(queues.promote(queueName, 'later')).rejects.toThrow('WRONGTYPE');
    await queues.redis.del(delayed);
  });

  test('when nothing waits, turns go on with the latest', async () => {
    await backlog('a', inTheBackground(1), 50);
    await queue.drain();
    await add('b-1', inTheBackground(2));
    await backlog('a', inTheBackground(1), 2);
    expect(await order()).toEqual(['b-1', 'a-1', 'a-2']);
  });

  test('companies whose jobs ran without waiting owe nothing for it, and those without any save nothing', async () => {
    for (let n = 1; n <= 30; n++) {
      await add(`alone-${n}`, inTheBackground(1));
      await queues.remove(queueName, `alone-${n}`);
      await ran(inTheBackground(1), queueTurns.firstMs);
    }
    await backlog('b', inTheBackground(2), 4);
    await backlog('a', inTheBackground(1), 3);
    expect(await order()).toEqual(['b-1', 'b-2', 'a-1', 'b-3', 'a-2', 'b-4', 'a-3']);
  });

  test('a job that is not there when it is removed gives nothing back', async () => {
    const removed = jest.spyOn(QueueTurns.prototype, 'removed').mockReturnValue(undefined);
    await backlog('here', inTheBackground(1), 1);
    await queues.remove(queueName, 'gone-1', inTheBackground(1));
    expect(removed).not.toHaveBeenCalled();
    await queues.remove(queueName, 'here-1', inTheBackground(1));
    expect(removed).toHaveBeenCalledTimes(1);
    removed.mockRestore();
  });

  test('jobs that were removed before they ran move nobody else’s turns', async () => {
    await add('deferred', inTheBackground(1), 60_000);
    await backlog('left', inTheBackground(1), 20);
    for (let n = 1; n <= 20; n++) {
      await queues.remove(queueName, `left-${n}`);
      turns.removed(queueName, inTheBackground(1));
    }
    await turns.settle();
    await add('usual-1', inTheBackground(2));
    await queues.promote(queueName, 'deferred');
    await backlog('flood', inTheBackground(1), 10);
    await queues.remove(queueName, 'usual-1');
    await ran(inTheBackground(2), queueTurns.firstMs);
    await add('usual-2', inTheBackground(2));
    expect((await order()).indexOf('usual-2')).toBeLessThanOrEqual(3);
  });

  test('a job that never got a turn comes last, is not taken for one that waits, and gets one when it is added again', async () => {
    const entry = { name: 'x', data: {}, opts: { jobId: 'lost', priority: 2 ** 21 - 1 } };
    await queue.add(entry.name, entry.data, entry.opts);
    await add('a-1', inTheBackground(1));
    expect(await order()).toEqual(['a-1', 'lost']);
    expect(
      await queues.areWaiting([
        { queue: queueName, jobId: 'lost' },
        { queue: queueName, jobId: 'a-1' },
      ]),
    ).toEqual([false, true]);
    await add('lost', inTheBackground(2));
    expect(
      await queues.areWaiting([
        { queue: queueName, jobId: 'lost' },
        { queue: queueName, jobId: 'gone' },
      ]),
    ).toEqual([true, false]);
  });
});

test('an entry that has ended before its start is uncounted › can be queued again', async () => {
  await queues.uncountStart(queueName, 'ended');
  await add('ended', inTheBackground(1));
  expect(await order()).toEqual(['ended']);
});

describe('a company has the slots for the time of the others, not for as many jobs', () => {
  test('jobs that took twenty times as long get a twentieth of the turns', async () => {
    await ran(waitedFor(1), ...Array.from({ length: 40 }, () => 2_000));
    await ran(waitedFor(2), ...Array.from({ length: 40 }, () => 100));
    await forgetFinish();
    await backlog('long', waitedFor(1), 3);
    await backlog('short', waitedFor(2), 50);
    const found = await order();
    expect([1, 2, 3].map((n) => found.indexOf(`long-${n}`))).toEqual([0, 21, 42]);
  });

  test('what a job took longer than it was charged is charged when it ends: the next comes after as much work of others', async () => {
    await add('slow-1', waitedFor(1));
    await queues.remove(queueName, 'slow-1');
    await ran(waitedFor(1), 2_050);
    await backlog('other', waitedFor(2), 30);
    await add('slow-2', waitedFor(1));
    expect((await order()).indexOf('slow-2')).toBe(21);
  });

  test('what it took shorter is given back', async () => {
    await add('quick-1', inTheBackground(1));
    await queues.remove(queueName, 'quick-1');
    await ran(inTheBackground(1), 1);
    await backlog('other', inTheBackground(2), 3);
    await add('quick-2', inTheBackground(1));
    expect((await order()).indexOf('quick-2')).toBe(1);
  });

  test('a job that is removed before it runs costs nothing', async () => {
    for (let n = 1; n <= 20; n++) {
      await add(`left-${n}`, waitedFor(1));
      await queues.remove(queueName, `left-${n}`);
      turns.removed(queueName, waitedFor(1));
      await turns.settle();
    }
    await backlog('other', waitedFor(2), 3);
    await add('stays', waitedFor(1));
    expect((await order()).indexOf('stays')).toBe(1);
  });

  test('a company owes no more than the longest job counts', async () => {
    await add('endless', waitedFor(1));
    await queues.remove(queueName, 'endless');
    await ran(waitedFor(1), ...Array.from({ length: 50 }, () => 3_600_000));
    await ran(waitedFor(2), ...Array.from({ length: 40 }, () => queueTurns.mostMs));
    await forgetFinish(waitedFor(2));
    await backlog('other', waitedFor(2), 3);
    await add('next', waitedFor(1));
    expect((await order()).indexOf('next')).toBe(2);
  });

  test('a job that is put off gets a turn behind its company’s others, and is charged again', async () => {
    await backlog('a', waitedFor(1), 3);
    await queues.placeAgain(queueName, 'a-1', { flow: waitedFor(1) });
    await backlog('b', waitedFor(2), 3);
    expect(await order()).toEqual(['b-1', 'a-2', 'b-2', 'a-3', 'b-3', 'a-1']);
  });
});

test('more turns than BullMQ has priorities › companies go on to take turns', async () => {
  const perMs = 4_294;
  // The latest turn is a second and a half before BullMQ's last priority.
  const last = Math.floor((UNPLACED * 2 ** 32) / perMs);
  await queues.redis.set(`${prefix}:turns:${queueName}`, last - 1_500);
  for (let n = 1; n <= 60; n++) {
    await add(`a-${n}`, waitedFor(1));
    await add(`b-${n}`, waitedFor(2));
  }
  const expected = Array.from({ length: 60 }, (_, n) => [`a-${n + 1}`, `b-${n + 1}`]).flat();
  expect(await order()).toEqual(expected);
  expect(Number((await queue.getJob('b-60'))?.priority)).toBeGreaterThan(UNPLACED);
  await add('later', waitedFor(3), 60_000);
  await queues.promote(queueName, 'later');
  expect((await order()).indexOf('later')).toBeLessThanOrEqual(2);
  // As a long backlog is worked off: a company that comes then takes its turns among those that are left.
  for (const id of expected.slice(0, 80)) await queues.remove(queueName, id);
  await queues.remove(queueName, 'later');
  await backlog('c', waitedFor(4), 7);
  const saved = [1, 2, 3, 4, 5].map((n) => `c-${n}`);
  expect((await order()).slice(0, 10)).toEqual([...saved, 'a-41', 'b-41', 'c-6', 'a-42', 'b-42']);
});

test('Redis without its data › what is added again takes turns', async () => {
  await ran(waitedFor(1), 5_000);
  await backlog('a', waitedFor(1), 3);
  // Other test files use the same Redis.
  await queues.redis.del(...(await queues.redis.keys(`${prefix}*`)));
  await backlog('a', waitedFor(1), 3);
  await backlog('b', waitedFor(2), 3);
  await ran(waitedFor(1), 5);
  expect(await order()).toEqual(['a-1', 'b-1', 'a-2', 'b-2', 'a-3', 'b-3']);
});

/** Leaves what jobs take on average, and no debts. */
async function forgetFinish(flow?: Flow): Promise<void> {
  for (const key of await turnKeys()) {
    if (key.includes(flow === undefined ? ':waited-for' : `:${flow.companyId}:waited-for`))
      await queues.redis.hset(key, 'finish', 0);
  }
}
