import type { IncomingMessage } from 'node:http';
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
  while (begun.length < 31) await nextIteration();
});

test('requests that arrive on many connections › pause all without a body that arrives; they are read again in turns of the callers', async () => {
  const arrivals = new Arrivals();
  const read: string[] = [];
  const paused: string[] = [];
  const connect = (name: string, caller: string, complete = true): Arriving => {
    const socket = { pause: () => paused.push(name), resume: () => read.push(name) } as unknown as Socket;
    const connection = { socket, caller, request: { complete } as IncomingMessage };
    arrivals.opened(connection);
    return connection;
  };
  const closing = connect('closing', 'a key');
  connect('sends a body', 'a key', false);
  const many = Array.from({ length: 30 }, (_, index) => `a${index}`);
  for (const name of many) connect(name, 'a key');
  connect('b0', 'another key');
  const begin = (): void => {
    arrivals.arrived();
    arrivals.begin('a key', request(0));
  };
  for (let index = 0; index < 25; index++) begin();
  expect(paused).toEqual([]);
  begin();
  expect(paused).toEqual(['closing', ...many, 'b0']);
  arrivals.closed(closing);
  while (read.length === 0) await nextIteration();
  expect(begun).toHaveLength(26);
  expect(read).toEqual(['a0', 'b0', ...many.slice(1, 15)]);
  while (read.length < 31) await nextIteration();
  expect(read).toEqual(['a0', 'b0', ...many.slice(1)]);
});
