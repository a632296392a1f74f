import { Queue } from 'bullmq';
import { queueTurns } from '../../../../config/queues';
import type { Flow } from '../../../../shared/kernel/queues/QueueTurns';
import type { JobQueues } from '../../../../shared/kernel/queues/JobQueues';
import { atEnd, openTestServices } from '../../../support/installation';

const queueName = 'email';
let queues: JobQueues;
let queue: Queue;
beforeAll(async () => {
  const services = await openTestServices();
  queues = services.queues;
  const connection = services.redis.connect('blocking');
  queue = new Queue(queueName, { connection, prefix: services.config.redisPrefix, skipVersionCheck: true });
  atEnd(async () => {
    await queue.close();
    connection.disconnect();
  });
});
afterEach(() => queue.obliterate({ force: true }));

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
  test.each([waitedFor, inTheBackground])(
    'one job of another company comes right after the next of a long backlog',
    async (flow) => {
      await backlog('many', flow(1), 200);
      await add('single', flow(2));
      expect((await order()).indexOf('single')).toBe(1);
    },
  );

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

  test('jobs that a request waits for come first, and the others still get their turns', async () => {
    await backlog('reminder', inTheBackground(1), 3);
    await backlog('request', waitedFor(2), 6);
    expect(queueTurns.costOfOthers).toBe(4);
    const first = ['reminder-1', 'request-1', 'request-2', 'request-3', 'request-4'];
    expect(await order()).toEqual([...first, 'reminder-2', 'request-5', 'request-6', 'reminder-3']);
  });

  test('a burst that is added at once has one turn a job', async () => {
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
    expect((await queue.getJob('later'))?.priority).toBeLessThanOrEqual(3 * queueTurns.costOfOthers);
  });

  test('turns are counted anew when nothing waits', async () => {
    await backlog('a', inTheBackground(1), 50);
    await queue.drain();
    await backlog('a', inTheBackground(1), 2);
    await add('b-1', inTheBackground(2));
    expect((await queue.getJob('a-1'))?.priority).toBe(queueTurns.costOfOthers);
    expect(await order()).toEqual(['a-1', 'b-1', 'a-2']);
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
