import { LoopShare } from '../../../shared/engine/fair';
import type { EntryOutcome, QueueEntry } from '../../../workers/jobs/ServedQueue';
import { shareSlots } from '../../../workers/jobs/shareSlots';
import { WorkerPool } from '../../../workers/jobs/WorkerPool';
import { eventually } from '../../support/eventually';
import { atEnd, openTestServices } from '../../support/installation';

/** The slots of a queue, with work that lasts until the test ends it, on a clock that the test moves. */
function open(slots: number) {
  let nowMs = performance.now();
  jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
  const loop = new LoopShare();
  const ends: (() => void)[] = [];
  const started: (number | undefined)[] = [];
  const process = shareSlots(slots, 1, async ({ companyId }) => {
    started.push(companyId);
    await new Promise<void>((end) => ends.push(end));
    return { done: null };
  });
  const { signal } = new AbortController();
  const take = (companyId: number | undefined): Promise<EntryOutcome> => {
    const rest = { id: undefined, data: {}, starts: 1, dueAt: new Date(), draining: signal, stopping: signal };
    return process({ ...rest, companyId, loop } satisfies QueueEntry);
  };
  return {
    started,
    take,
    /** Another company's work has ended just now. */
    otherIsActive: async () => {
      const other = take(99);
      await settled();
      ends.pop()?.();
      await other;
      started.pop();
    },
    /** Another company's work runs in another queue of the worker. */
    otherRuns: () => loop.run(99, 20, () => Promise.resolve()),
    moveOn: (ms: number) => (nowMs += ms),
    endAll: () => ends.splice(0).forEach((end) => end()),
    close: () => loop.close(),
  };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('a company that is alone › has every slot', async () => {
  const { take, started, endAll, close } = open(4);
  const outcomes = [1, 1, 1, 1].map(take);
  await settled();
  expect(started).toEqual([1, 1, 1, 1]);
  endAll();
  expect(await Promise.all(outcomes)).toEqual(Array(4).fill({ done: null }));
  close();
});

test('others were active more than ten seconds ago, or in another queue › a company has every slot', async () => {
  const { take, started, otherIsActive, otherRuns, moveOn, endAll, close } = open(4);
  await otherIsActive();
  moveOn(10_010);
  await otherRuns();
  const outcomes = [1, 1, 1, 1].map(take);
  await settled();
  expect(started).toEqual([1, 1, 1, 1]);
  endAll();
  await Promise.all(outcomes);
  close();
});

test('a company beside others › holds no more slots than are free; the next entry is put off, and is no start', async () => {
  const { take, started, otherIsActive, endAll, close } = open(4);
  await otherIsActive();
  const outcomes = [1, 1].map(take);
  const charge = jest.spyOn(LoopShare.prototype, 'charge');
  expect(await take(1)).toEqual({ delayMs: 250, notStarted: true });
  // What others have of the process is less for it.
  expect(charge.mock.calls).toEqual([[1, 1]]);
  // Of four slots, one company has two and two others have one each.
  outcomes.push(take(2), take(3));
  await settled();
  expect(started).toEqual([1, 1, 2, 3]);
  endAll();
  expect(await Promise.all(outcomes)).toEqual(Array(4).fill({ done: null }));
  const later = take(1);
  await settled();
  expect(started).toEqual([1, 1, 2, 3, 1]);
  endAll();
  await later;
  close();
});

test('another company was active some seconds ago › its next work finds a free slot', async () => {
  const { take, started, otherIsActive, moveOn, endAll, close } = open(4);
  await otherIsActive();
  moveOn(9_000);
  const outcomes = [1, 1, 1].map(take);
  await settled();
  endAll();
  expect(started).toEqual([1, 1]);
  expect((await Promise.all(outcomes)).at(-1)).toEqual({ delayMs: 250, notStarted: true });
  close();
});

test('two queues that hand out more than there are slots › a company that holds none begins', async () => {
  const { take, started, otherIsActive, endAll, close } = open(2);
  await otherIsActive();
  const outcomes = [1, 2, 3].map(take);
  expect(await take(1)).toEqual({ delayMs: 250, notStarted: true });
  await settled();
  expect(started).toEqual([1, 2, 3]);
  endAll();
  await Promise.all(outcomes);
  close();
});

test('a queue with one slot › serves whoever comes', async () => {
  const { take, started, otherIsActive, endAll, close } = open(1);
  await otherIsActive();
  const outcome = take(1);
  await settled();
  expect(started).toEqual([1]);
  endAll();
  await outcome;
  close();
});

test('work of no company › is never put off', async () => {
  const { take, started, otherIsActive, endAll, close } = open(1);
  await otherIsActive();
  const outcomes = [1, undefined, undefined].map(take);
  await settled();
  expect(started).toEqual([1, undefined, undefined]);
  endAll();
  await Promise.all(outcomes);
  close();
});

test('an entry that is put off › does not count as started', async () => {
  const services = await openTestServices();
  const starts: number[] = [];
  const process = (entry: QueueEntry): Promise<EntryOutcome> => {
    starts.push(entry.starts);
    return Promise.resolve(starts.length < 3 ? { delayMs: 1, notStarted: true } : { done: null });
  };
  const pool = new WorkerPool(services, [{ queue: 'schedule', concurrency: 1, maxStarts: 1, process }]);
  atEnd(() => pool.drain(1_000));
  await pool.waitUntilReady();
  await services.queues.add({ queue: 'schedule', name: 'scan', jobId: 'put-off', data: {} });
  await eventually(() => starts.length === 3);
  expect(starts).toEqual([1, 1, 1]);
});
