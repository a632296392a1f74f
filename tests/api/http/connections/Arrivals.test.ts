import type { Socket } from 'node:net';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { Arrivals, type Arriving } from '../../../../api/http/connections/Arrivals';

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

test('requests of 1 ms each › 3 begin in one iteration of the event loop, the others in the next ones, in order', async () => {
  const arrivals = new Arrivals();
  const all = Array.from({ length: 8 }, (_, index) => index);
  for (const index of all) arrivals.begin('a key', request(index));
  expect(begun).toEqual(all.slice(0, 3));
  const counts: number[] = [];
  while (begun.length < all.length) {
    await nextIteration();
    counts.push(begun.length);
  }
  expect(counts).toEqual([6, 8]);
  expect(begun).toEqual(all);
});

test('a request that comes while others wait › begins after them', async () => {
  const arrivals = new Arrivals();
  for (let index = 0; index < 5; index++) arrivals.begin('a key', request(index));
  nowMs += 1_000;
  arrivals.begin('a key', request(5));
  expect(begun).toHaveLength(3);
  await nextIteration();
  expect(begun).toEqual(Array.from({ length: 6 }, (_, index) => index));
});

test('a request of another caller › begins next', async () => {
  const arrivals = new Arrivals();
  for (let index = 0; index < 30; index++) arrivals.begin('a key', request(index));
  arrivals.begin('another key', request(100));
  await nextIteration();
  expect(begun.slice(3, 6)).toEqual([3, 100, 4]);
});

test('requests that arrive on many connections › pause all; they are read again in pieces, one of each caller after the other', async () => {
  const arrivals = new Arrivals();
  const read: string[] = [];
  const paused = new Set<string>();
  const connect = (name: string, caller: string): Arriving => {
    const socket = { pause: () => paused.add(name), resume: () => read.push(name) } as unknown as Socket;
    const connection = { socket, caller, openedAt: 0 };
    arrivals.opened(connection);
    return connection;
  };
  const closing = connect('closing', 'a key');
  for (let index = 0; index < 8; index++) connect(`a${index}`, 'a key');
  connect('b0', 'another key');
  const begin = (): void => {
    arrivals.arrived();
    arrivals.begin('a key', request(0));
  };
  for (let index = 0; index < 6; index++) begin();
  expect(paused.size).toBe(0);
  begin();
  expect(paused.size).toBe(10);
  arrivals.closed(closing);
  while (begun.length < 7) await nextIteration();
  await nextIteration();
  expect(read.slice(0, 4)).toEqual(['a0', 'b0', 'a1', 'a2']);
  while (read.length < 9) await nextIteration();
  expect(read).not.toContain('closing');
});
