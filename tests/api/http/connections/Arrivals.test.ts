import { setImmediate as nextIteration } from 'node:timers/promises';
import { Arrivals } from '../../../../api/http/connections/Arrivals';

let nowMs = 0;
const begun: number[] = [];
const request = (index: number) => (): void => {
  begun.push(index);
  nowMs += 1;
};

beforeEach(() => {
  jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
  begun.length = 0;
});

test('requests of 1 ms each › 10 begin in one iteration of the event loop, the others in the next ones, in order', async () => {
  const arrivals = new Arrivals();
  const all = Array.from({ length: 35 }, (_, index) => index);
  for (const index of all) arrivals.begin('a key', request(index));
  expect(begun).toEqual(all.slice(0, 10));
  const counts: number[] = [];
  while (begun.length < all.length) {
    await nextIteration();
    counts.push(begun.length);
  }
  expect(counts).toEqual([20, 30, 35]);
  expect(begun).toEqual(all);
});

test('a request that comes while others wait › begins after them', async () => {
  const arrivals = new Arrivals();
  for (let index = 0; index < 12; index++) arrivals.begin('a key', request(index));
  nowMs += 1_000;
  arrivals.begin('a key', request(12));
  expect(begun).toHaveLength(10);
  await nextIteration();
  expect(begun).toEqual(Array.from({ length: 13 }, (_, index) => index));
});

test('a request of another caller › begins next', async () => {
  const arrivals = new Arrivals();
  for (let index = 0; index < 30; index++) arrivals.begin('a key', request(index));
  arrivals.begin('another key', request(100));
  await nextIteration();
  expect(begun.slice(10, 13)).toEqual([10, 100, 11]);
});
