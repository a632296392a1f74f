import { EventEmitter } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { FairQueue, type Turn, WorkMeter } from '../../../../shared/engine/fair';
import type { FairQueueOptions } from '../../../../shared/engine/fair/FairQueue';

const error = (message: string) => () => new Error(message);
const options: Omit<FairQueueOptions, 'meter'> = {
  ...{ slots: 6, slotsAlone: 4, slotsShared: 4, capacity: 2, maxWaiting: 10, longestWaitMs: 60_000 },
  ...{ full: error('full'), late: error('late'), left: error('left') },
};

/** Measures what the test says. */
class GivenTime extends WorkMeter {
  private givenMs = 0;
  override start(): void {
    this.givenMs = 0;
  }
  override add(ms: number): void {
    this.givenMs += ms;
  }
  override stop(): number {
    return this.givenMs;
  }
}
const queueOf = (over: Partial<FairQueueOptions> = {}): FairQueue =>
  new FairQueue({ ...options, ...over, meter: () => new GivenTime() });

/** A piece of work that runs until it is ended, and has then taken so many measured milliseconds. */
function work(queue: FairQueue, company: number | string, caller = new EventEmitter()) {
  let turn: Turn | undefined;
  let end = (_tookMs?: number): void => undefined;
  const ended = new Promise<number>((resolve) => (end = (tookMs = 0) => resolve(tookMs)));
  const done = queue.run(company, caller, async (given) => {
    turn = given;
    given.meter.add(await ended);
    return 'done';
  });
  // Tests read the error later ({@link messageOf}): until then it is not an unhandled rejection.
  done.catch(() => undefined);
  return { done, end, caller, turn: () => turn, runs: () => turn !== undefined };
}
type Work = ReturnType<typeof work>;
const works = (queue: FairQueue, company: number | string, count: number): Work[] =>
  Array.from({ length: count }, () => work(queue, company));
const running = (all: readonly Work[]): number => all.filter((one) => one.runs()).length;
const messageOf = (one: Work): Promise<string> => one.done.catch((reason: Error) => reason.message);

/** Lets `ms` pass, and what is due run. */
async function pass(ms: number): Promise<void> {
  for (let left = ms; left > 0; left--) {
    jest.advanceTimersByTime(1);
    await setImmediate();
  }
}

/** Work that takes `ms` of the process, of which the company always has more: `inParallel` pieces at a time. Counts what began. */
function keepBusy(queue: FairQueue, company: number, ms: number, inParallel: number): { begun: number } {
  const count = { begun: 0 };
  const next = async (): Promise<void> => {
    for (;;) {
      await queue.run(company, new EventEmitter(), async ({ meter }) => {
        count.begun += 1;
        await new Promise((resolve) => setTimeout(resolve, 1));
        meter.add(ms);
      });
    }
  };
  for (let n = 0; n < inParallel; n++) void next();
  return count;
}

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick'] });
});
afterEach(() => jest.useRealTimers());

describe('a company that is alone', () => {
  test('waiting work that ends at once › begins in pieces, between which the event loop goes on', async () => {
    const queue = queueOf({ maxWaiting: 1_000 });
    const slow = works(queue, 1, 4);
    let begun = 0;
    const waiting = Array.from({ length: 200 }, () =>
      queue.run(1, new EventEmitter(), () => Promise.resolve((begun += 1))),
    );
    slow.forEach(({ end }) => end());
    const pieces: number[] = [];
    for (let seen = 0; seen < 200; seen = begun) {
      await setImmediate();
      pieces.push(begun - seen);
    }
    expect(Math.max(...pieces)).toBeLessThanOrEqual(32);
    await Promise.all(waiting);
  });

  test('has all slots; the rest of its work follows in its order', async () => {
    const queue = queueOf();
    const all = works(queue, 1, 6);
    await setImmediate();
    expect(all.map((one) => one.runs())).toEqual([true, true, true, true, false, false]);
    all[1]?.end();
    await expect(all[1]?.done).resolves.toBe('done');
    expect(all.map((one) => one.runs())).toEqual([true, true, true, true, true, false]);
  });

  test('waits for nothing but a slot, however expensive its work is', async () => {
    const queue = queueOf();
    const work = keepBusy(queue, 1, 500, 4);
    await pass(20);
    expect(work.begun).toBeGreaterThanOrEqual(4 * 15);
  });

  test('has half of the slots for three times as long as its work took, if that is more than half a second, and does not wait for its debt', async () => {
    const queue = queueOf();
    const long = works(queue, 1, 4);
    await setImmediate();
    for (const one of long) one.end(1_000);
    await Promise.all(long.map((one) => one.done));
    for (let count = 0; count < 50; count++) {
      const cheap = work(queue, 1);
      cheap.end(1);
      await cheap.done;
    }
    await pass(2_900);
    const later = works(queue, 1, 4);
    expect(running(later)).toBe(2);
    for (const one of later) one.end();
    await pass(200);
    expect(running(works(queue, 1, 4))).toBe(4);
    const busy = keepBusy(queueOf(), 1, 5_000, 4);
    await pass(20);
    expect(busy.begun).toBeGreaterThanOrEqual(2 * 15);
  });

  test('has half of the slots also after work that waited long for MySQL while the process was busy with other work', async () => {
    const queue = queueOf();
    const waited = work(queue, 1);
    await setImmediate();
    waited.turn()!.meter.longestWaitMs = 1_000;
    waited.end(1);
    await waited.done;
    expect(running(works(queue, 1, 4))).toBe(2);
  });
});

describe('while another company is active', () => {
  test('long work runs one after another, also when its use was long ago', async () => {
    const queue = queueOf();
    keepBusy(queue, 2, 1, 1);
    const first = work(queue, 1);
    await pass(20);
    first.end(15_000);
    await first.done;
    const later = works(queue, 1, 2);
    // Its debt from the first one.
    while (running(later) === 0) await pass(10);
    // It has charged half of what the first one cost, 7,500 ms, of which a company may use one each millisecond.
    await pass(6_500);
    expect(running(later)).toBe(1);
    while (running(later) < 2) await pass(10);
  });

  test('that company begins immediately, though the first one has all of its slots', async () => {
    const queue = queueOf();
    works(queue, 1, 6);
    const other = work(queue, 2);
    await setImmediate();
    expect(other.runs()).toBe(true);
  });

  test.each([
    ['ten seconds after another company', 2, 10_000],
    ['a second after a caller without a key', 'network', 1_000],
  ])('a company has half of the slots, and all of them %s', async (_, key, activeMs) => {
    const queue = queueOf();
    const other = work(queue, key);
    const all = works(queue, 1, 6);
    await setImmediate();
    expect(running(all)).toBe(2);
    other.end();
    await pass(activeMs - 50);
    all[0]?.end();
    await setImmediate();
    expect(running(all)).toBe(3);
    await pass(51);
    all[1]?.end();
    await setImmediate();
    expect(running(all)).toBe(6);
  });

  test('a company has no more than its part of the slots that are shared', async () => {
    const queue = queueOf({ slots: 9, slotsAlone: 9, slotsShared: 4 });
    work(queue, 2);
    const all = works(queue, 1, 9);
    await setImmediate();
    expect(running(all)).toBe(2);
  });

  test('of two companies that wait, each has a third', async () => {
    const queue = queueOf({ slots: 9, slotsAlone: 9, slotsShared: 9 });
    work(queue, 3);
    const [first, second] = [works(queue, 1, 9), works(queue, 2, 9)];
    await setImmediate();
    // Each had half of the nine slots before it waited itself.
    expect([running(first), running(second)]).toEqual([4, 4]);
    first[0]?.end();
    second[0]?.end();
    await setImmediate();
    expect([running(first), running(second)]).toEqual([4, 4]);
    first[1]?.end();
    await setImmediate();
    expect([running(first), running(second)]).toEqual([5, 4]);
  });

  test('expensive work begins at half of the capacity, one piece after another; cheap work does not wait', async () => {
    const queue = queueOf();
    const expensive = keepBusy(queue, 1, 50, 4);
    await pass(1);
    let cheap = 0;
    const before = expensive.begun;
    for (let ms = 0; ms < 1_000; ms += 10) {
      const one = work(queue, 2);
      await setImmediate();
      cheap += running([one]);
      one.end();
      await pass(10);
    }
    expect(cheap).toBe(100);
    // Half of 2 ms a millisecond, for 1,000 ms, of 50 ms each.
    expect(expensive.begun - before).toBeGreaterThan(10);
    expect(expensive.begun - before).toBeLessThanOrEqual(26);
  });

  test('a company with one expensive piece beside a company that uses much › its next piece does not wait', async () => {
    const queue = queueOf();
    keepBusy(queue, 1, 50, 4);
    await pass(500);
    const one = work(queue, 2);
    await setImmediate();
    one.end(200);
    await one.done;
    const next = work(queue, 2);
    await setImmediate();
    expect(next.runs()).toBe(true);
  });

  test('a company that has used less than another one › owes nothing for that once it uses more', async () => {
    const queue = queueOf();
    const other = work(queue, 1);
    await setImmediate();
    other.end(1_000);
    await other.done;
    const begun: Work[] = [];
    for (let next = work(queue, 2); ; next = work(queue, 2)) {
      await pass(25);
      begun.push(next);
      if (!next.runs()) break;
      next.end(100);
      await next.done;
    }
    expect(begun.length).toBeGreaterThan(5);
    // For its last piece alone.
    await pass(300);
    expect(begun.at(-1)?.runs()).toBe(true);
  });

  test('a company that uses much beside another one that does › each has a third of the capacity', async () => {
    const queue = queueOf();
    const [first, second] = [keepBusy(queue, 1, 20, 1), keepBusy(queue, 2, 20, 1)];
    await pass(1_000);
    const before = first.begun + second.begun;
    await pass(1_000);
    // Two thirds of 2 ms a millisecond, for 1,000 ms, of 20 ms each; the savings of each company come first.
    expect(first.begun + second.begun - before).toBeLessThanOrEqual(75);
    expect(first.begun + second.begun - before).toBeGreaterThan(50);
  });

  test('a company that was very expensive › is served again after two seconds', async () => {
    const queue = queueOf();
    const other = work(queue, 2);
    const first = work(queue, 1);
    await setImmediate();
    first.end(3_600_000);
    await first.done;
    const next = work(queue, 1);
    await pass(1_000);
    expect(next.runs()).toBe(false);
    await pass(1_010);
    expect(next.runs()).toBe(true);
    other.end();
  });

  test('a free slot goes to the company that used the least', async () => {
    const queue = queueOf({ slots: 3, slotsAlone: 6, slotsShared: 6 });
    const [a, b, c] = [work(queue, 1), work(queue, 2), work(queue, 3)];
    const [ofFirst, ofSecond] = [work(queue, 1), work(queue, 2)];
    await setImmediate();
    expect(running([ofFirst, ofSecond])).toBe(0);
    a.end(10);
    await setImmediate();
    expect([ofFirst.runs(), ofSecond.runs()]).toEqual([false, true]);
    b.end();
    c.end();
  });
});

describe('callers without a key', () => {
  /** Work that takes `ms`, 32 pieces at a time, each of another network. */
  function floodFromNetworks(queue: FairQueue, ms: number): { begun: number } {
    const count = { begun: 0 };
    let networks = 0;
    const next = async (): Promise<void> => {
      for (;;) {
        await queue.run(`network ${networks++}`, new EventEmitter(), async ({ meter }) => {
          count.begun += 1;
          await new Promise((resolve) => setTimeout(resolve, 1));
          meter.add(ms);
        });
      }
    };
    for (let n = 0; n < 32; n++) void next();
    return count;
  }

  test('from any number of networks › have the share of one company, and a company does not wait for them', async () => {
    const queue = queueOf({ maxWaiting: 100 });
    const flood = floodFromNetworks(queue, 50);
    await pass(1);
    const before = flood.begun;
    const ofCompany = keepBusy(queue, 1, 10, 1);
    await pass(1_000);
    // A third to half of 2 ms a millisecond, for 1,000 ms, of 50 ms and of 10 ms each.
    expect(flood.begun - before).toBeGreaterThan(5);
    expect(flood.begun - before).toBeLessThanOrEqual(26);
    expect(ofCompany.begun).toBeGreaterThan(66);
  });

  test('from any number of networks while no company is active › have everything', async () => {
    const queue = queueOf({ maxWaiting: 100 });
    const flood = floodFromNetworks(queue, 50);
    await pass(100);
    expect(flood.begun).toBeGreaterThan(4 * 75);
  });

  test('from one network that uses much › wait for themselves, and those from another network do not', async () => {
    const queue = queueOf();
    work(queue, 1);
    const first = works(queue, 'network 1', 4);
    await setImmediate();
    first[0]?.end(500);
    await first[0]?.done;
    const [another, more] = [work(queue, 'network 2'), work(queue, 'network 1')];
    await pass(600);
    first[1]?.end();
    await pass(1);
    expect([another.runs(), more.runs()]).toEqual([true, false]);
  });

  test('from thousands of networks › wait in line, and a request costs no more than from a hundred', async () => {
    const looksOf = async (networks: number): Promise<number> => {
      const queue = queueOf({ maxWaiting: 10_000 });
      work(queue, 1);
      const first = works(queue, 'network', 2);
      await setImmediate();
      // All networks together have a debt and a free slot.
      first[0]?.end(1_000);
      await first[0]?.done;
      for (let n = 0; n < networks; n++) work(queue, `network ${n}`);
      const now = jest.spyOn(performance, 'now');
      work(queue, 'another network');
      first[1]?.end();
      await first[1]?.done;
      const looks = now.mock.calls.length;
      now.mockRestore();
      return looks;
    };
    expect(await looksOf(2_000)).toBeLessThan(2 * (await looksOf(100)));
  });

  test('from thousands of networks › each has its turn', async () => {
    const queue = queueOf({ maxWaiting: 10_000 });
    const all = Array.from({ length: 1_000 }, (_, n) => work(queue, `network ${n}`));
    for (let begun = 0; begun < all.length;) {
      const runs = all.filter((one) => one.runs());
      expect(runs.length).toBeGreaterThan(begun);
      begun = runs.length;
      runs.forEach(({ end }) => end(1));
      await pass(1);
    }
  });

  test('from a network that is charged for work without a slot › the other networks owe nothing for it', async () => {
    const queue = queueOf();
    [work(queue, 1), work(queue, 'network 1')].forEach(({ end }) => end());
    await setImmediate();
    queue.chargeFor('network 1', 10_000);
    const [another, more] = [work(queue, 'network 2'), work(queue, 'network 1')];
    await setImmediate();
    expect([another.runs(), more.runs()]).toEqual([true, false]);
  });
});

test('work that fails › gives its slot back', async () => {
  const queue = queueOf({ slots: 1, slotsAlone: 1, slotsShared: 1 });
  await expect(queue.run(1, new EventEmitter(), () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  await expect(queue.run(1, new EventEmitter(), () => Promise.resolve('yes'))).resolves.toBe('yes');
});

test('work that waits aside › lets others run, and comes back before those that have not begun', async () => {
  const queue = queueOf({ slots: 1, slotsAlone: 1, slotsShared: 1 });
  const first = work(queue, 1);
  await setImmediate();
  let wake = (): void => undefined;
  const back = first.turn()?.aside(() => new Promise<void>((resolve) => (wake = resolve)));
  const [second, third] = works(queue, 1, 2) as [Work, Work];
  await setImmediate();
  expect([second.runs(), third.runs()]).toEqual([true, false]);
  wake();
  second.end();
  await back;
  await setImmediate();
  expect(third.runs()).toBe(false);
  first.end();
  third.end();
  await expect(third.done).resolves.toBe('done');
});

test('expensive work of a company comes back together, beside others › one piece runs after another', async () => {
  const queue = queueOf({ slots: 30, slotsAlone: 20, slotsShared: 20 });
  keepBusy(queue, 2, 0, 1);
  const first = work(queue, 1);
  await pass(1);
  first.end(400);
  const all: Work[] = [];
  let [wake, back] = [(): void => undefined, 0];
  const woken = new Promise<void>((resolve) => (wake = resolve));
  for (let n = 0; n < 8; n++) {
    const one = work(queue, 1);
    while (!one.runs()) await pass(10);
    all.push(one);
    void one
      .turn()
      ?.aside(() => woken)
      .then(() => (back += 1));
  }
  await pass(2_000);
  wake();
  await pass(1);
  expect(back).toBe(1);
  await pass(1_000);
  expect(back).toBeGreaterThan(1);
  all.forEach(({ end }) => end());
});

test('work that waits aside while it is aside › gives up one slot', async () => {
  const queue = queueOf({ slots: 1, slotsAlone: 1, slotsShared: 1 });
  let ran = 0;
  await queue.run(1, new EventEmitter(), (turn) =>
    turn.aside(() =>
      turn.aside(async () => {
        const others = [2, 3].map((company) => work(queue, company));
        await setImmediate();
        ran = running(others);
        for (const { end } of others) end();
      }),
    ),
  );
  expect(ran).toBe(1);
});

test('further work after the end › waits for a slot, and is charged', async () => {
  const queue = queueOf({ slots: 1, slotsAlone: 1, slotsShared: 1 });
  const first = work(queue, 1);
  await setImmediate();
  first.end();
  await first.done;
  const second = work(queue, 1);
  await setImmediate();
  let ran = false;
  const further = first.turn()?.further(() => Promise.resolve((ran = true)));
  await setImmediate();
  expect(ran).toBe(false);
  second.end();
  await further;
  expect(ran).toBe(true);
});

test('too much work of a company waits › it is refused, one piece every 4 ms', async () => {
  const queue = queueOf({ maxWaiting: 3 });
  const all = works(queue, 1, 17);
  const refused: string[] = [];
  for (const one of all) void messageOf(one).then((message) => refused.push(message));
  await pass(5);
  expect(refused).toEqual(['full', 'full']);
  await pass(40);
  expect(refused).toHaveLength(10);
  expect(running(all)).toBe(4);
});

test('of a company whose callers all have waited too long › 16 are refused in one iteration of the event loop', async () => {
  const queue = queueOf({ maxWaiting: 200, slotsAlone: 1, longestWaitMs: 5 });
  const waiting = works(queue, 1, 50).slice(1);
  let refused = 0;
  for (const one of waiting) void messageOf(one).then(() => (refused += 1));
  jest.advanceTimersByTime(6);
  const counts: number[] = [];
  while (refused < waiting.length) {
    await setImmediate();
    counts.push(refused);
  }
  expect([...new Set(counts)]).toEqual([16, 32, 48, 49]);
});

test('no slot in time › it is refused', async () => {
  const queue = queueOf({ slotsAlone: 1, longestWaitMs: 5 });
  work(queue, 1);
  const late = work(queue, 1);
  await pass(6);
  expect(await messageOf(late)).toBe('late');
});

test('a caller that leaves › leaves the queue as well', async () => {
  const queue = queueOf({ slotsAlone: 1 });
  const [first, gone, next] = works(queue, 1, 3) as [Work, Work, Work];
  gone.caller.emit('close');
  expect(await messageOf(gone)).toBe('left');
  first.end();
  await first.done;
  await setImmediate();
  expect([gone.runs(), next.runs()]).toEqual([false, true]);
});

test('callers that leave at the same time › 16 are refused in one iteration of the event loop, and none of them begins', async () => {
  const queue = queueOf({ maxWaiting: 200, slotsAlone: 1 });
  const first = work(queue, 1);
  const waiting = works(queue, 1, 40);
  let refused = 0;
  for (const { done } of waiting) done.catch(() => (refused += 1));
  for (const { caller } of waiting) caller.emit('close');
  first.end();
  const counts: number[] = [];
  while (refused < waiting.length) {
    await setImmediate();
    counts.push(refused);
  }
  expect([...new Set(counts)]).toEqual([16, 32, 40]);
  expect(running(waiting)).toBe(0);
});

test('the process stops › work that has not begun is refused', async () => {
  const queue = queueOf({ slotsAlone: 1 });
  const [first, waiting] = works(queue, 1, 2) as [Work, Work];
  queue.refuseWaiting();
  expect(await messageOf(waiting)).toBe('late');
  first.end();
  await expect(first.done).resolves.toBe('done');
});

test('companies without work › are forgotten', async () => {
  const queue = queueOf();
  for (let company = 0; company < 10_050; company++)
    await queue.run(company, new EventEmitter(), () => Promise.resolve());
  await pass(10);
  await queue.run('one more', new EventEmitter(), () => Promise.resolve());
  const { flows } = queue as unknown as { flows: Map<unknown, unknown> };
  expect(flows.size).toBeLessThanOrEqual(10_000);
});

test('cheap pieces of work › make room for several expensive ones only after they have taken as long', async () => {
  const queue = queueOf();
  const other = work(queue, 2);
  const expensive = work(queue, 1);
  expensive.end(1_000);
  await expensive.done;
  await pass(1_100);
  for (let turn = 0; turn < 100; turn++) {
    const cheap = work(queue, 1);
    await pass(2);
    cheap.end(1);
    await cheap.done;
  }
  expect(running(works(queue, 1, 4))).toBe(1);
  other.end();
});
