import { setImmediate as nextTick } from 'node:timers/promises';
import { LoopShare } from '../../../../shared/engine/fair';

/** Keeps the event loop busy, as signing, writing and reading do. */
const busyFor = (ms: number): void => {
  const until = performance.now() + ms;
  while (performance.now() < until);
};

/**
 * The work of both companies counts as so many times its time. A slow machine runs ten times fewer pieces: counted as what they take, no
 * company would use enough to wait.
 */
const COUNTED = 10;

/** Stop what a test began, whether or not it failed: otherwise later files would run beside a busy event loop without an end. */
const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** Starts pieces of work of a company one after another, until it is stopped. Returns how many have ended. */
function keepBusy(loop: LoopShare, companyId: number, parallel: number, pieceMs: number) {
  let ended = 0;
  let isStopped = false;
  const lines = Array.from({ length: parallel }, async () => {
    while (!isStopped) {
      await loop.run(companyId, COUNTED * pieceMs, () => Promise.resolve(busyFor(pieceMs)));
      ended += 1;
      await nextTick();
    }
  });
  const stop = async (): Promise<void> => {
    isStopped = true;
    await Promise.all(lines);
  };
  ends.push(() => {
    loop.close();
    return stop();
  });
  return { count: () => ended, stop };
}

/** What a company does while another one is busy: as many pieces of work, one after another. */
async function alternate(loop: LoopShare, pieces: number): Promise<void> {
  for (let piece = 0; piece < pieces; piece++) {
    await loop.run(2, COUNTED * 5, async () => {
      for (let step = 0; step < 5; step++) {
        busyFor(1);
        await nextTick();
      }
    });
  }
}

test('a company that is alone › begins everything immediately, however much it used', async () => {
  const loop = new LoopShare();
  let begun = 0;
  const pieces = Array.from({ length: 100 }, () =>
    loop.run(1, 2, async () => {
      begun += 1;
      busyFor(2);
      await nextTick();
    }),
  );
  expect(begun).toBe(100);
  await Promise.all(pieces);
  loop.close();
});

test('a company beside others › begins no more than its part: the one with less work waits for few pieces of the other', async () => {
  const loop = new LoopShare();
  const flood = keepBusy(loop, 1, 50, 4);
  await alternate(loop, 1);
  const before = flood.count();
  await alternate(loop, 20);
  // 5 ms for each piece of the one, in five steps. Unhindered, the other would run 50 pieces between two steps: 5,000.
  expect(flood.count() - before).toBeLessThan(500);
});

test('a company that is charged more than its work was to cost › waits as one whose work costs that', async () => {
  const loop = new LoopShare();
  await loop.run(2, 1, () => Promise.resolve());
  loop.charge(1, 1_000);
  busyFor(50);
  let begun = false;
  const waiting = loop.run(1, 1, () => Promise.resolve(void (begun = true)));
  expect(begun).toBe(false);
  loop.close();
  await waiting;
});

test('what the process does for nobody in particular › holds up no company that uses little', async () => {
  const loop = new LoopShare();
  const flood = keepBusy(loop, 1, 1, 20);
  while (flood.count() < 5) await nextTick();
  await flood.stop();
  // Nothing of it is work of a company, and the loop is never idle.
  let pieces = 0;
  const little = (async () => {
    for (; pieces < 20; pieces++) await loop.run(2, 8, () => nextTick());
  })();
  let turns = 0;
  for (; pieces < 20; turns++) {
    busyFor(10);
    await nextTick();
  }
  await little;
  expect(turns).toBeLessThan(50);
  loop.close();
});

test('when the process stops › what waits begins, and what follows waits for nothing', async () => {
  const loop = new LoopShare();
  const flood = keepBusy(loop, 1, 20, 5);
  await alternate(loop, 2);
  loop.close();
  const before = flood.count();
  for (let tick = 0; tick < 3; tick++) await nextTick();
  expect(flood.count() - before).toBeGreaterThanOrEqual(20);
});

test('work that fails › its caller gets the error, and it is not repeated', async () => {
  const loop = new LoopShare();
  let runs = 0;
  const work = (): Promise<void> => {
    runs += 1;
    return Promise.reject(new Error('broken'));
  };
  await expect(loop.run(1, 1, work)).rejects.toThrow('broken');
  expect(runs).toBe(1);
  loop.close();
});
