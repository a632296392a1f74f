import type { Socket } from 'node:net';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { Arrivals, type Arriving } from '../../../../api/http/connections/Arrivals';
import type { FlowKey } from '../../../../shared/engine/fair';

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

test('a request of a company › begins before the second of all callers without a known key, however many networks they have', async () => {
  const arrivals = new Arrivals();
  for (let index = 0; index < 30; index++) arrivals.begin(`network ${index}`, request(index));
  for (const index of [100, 101]) arrivals.begin(1, request(index));
  arrivals.begin(2, request(200));
  await nextIteration();
  expect(begun.slice(10, 17)).toEqual([10, 100, 200, 11, 101, 12, 13]);
  while (begun.length < 33) await nextIteration();
});

/** A connection that notes when it is paused, and when it is read again. */
function connection(name: string, caller: FlowKey, noted: string[]): Arriving {
  let isPaused = false;
  const note = (paused: boolean) => (): void => {
    isPaused = paused;
    noted.push(`${name} ${paused ? 'paused' : 'read'}`);
  };
  const socket = { pause: note(true), resume: note(false), isPaused: () => isPaused } as unknown as Socket;
  return { socket, caller, pausedFor: null, isHeld: false };
}

test('requests that arrive on many connections › pause all but those that Node.js has paused; they are read again in turns of the callers', async () => {
  const arrivals = new Arrivals();
  const noted: string[] = [];
  const open = (name: string, caller: string): Arriving => {
    const opened = connection(name, caller, noted);
    arrivals.opened(opened);
    return opened;
  };
  const closing = open('closing', 'a key');
  const full = open('full', 'a key');
  const many = Array.from({ length: 30 }, (_, index) => `a${index}`);
  for (const name of many) open(name, 'a key');
  open('b0', 'another key');
  // As long as each takes a turn of its own.
  while (noted.length < 66) await nextIteration();
  await nextIteration();
  full.socket.pause();
  noted.length = 0;
  for (let index = 0; index < 25; index++) {
    arrivals.arrived();
    arrivals.begin('a key', request(0));
  }
  expect(noted).toEqual([]);
  arrivals.arrived();
  arrivals.begin('a key', request(0));
  expect(noted).toHaveLength(32);
  expect(noted).not.toContain('full paused');
  noted.length = 0;
  arrivals.closed(closing);
  while (noted.length === 0) await nextIteration();
  expect(begun).toHaveLength(26);
  expect(noted).toHaveLength(4);
  expect(noted).toContain('b0 read');
  while (noted.length < 31) await nextIteration();
});

test('a connection of a company › is read again with the first of all networks without a known key', async () => {
  const arrivals = new Arrivals();
  const noted: string[] = [];
  for (let index = 0; index < 30; index++) arrivals.opened(connection(`network ${index}`, `network ${index}`, noted));
  arrivals.opened(connection('company', 1, noted));
  while (!noted.includes('network 0 read')) await nextIteration();
  expect(noted.filter((one) => one.endsWith('read'))).toContain('company read');
  while (noted.length < 62) await nextIteration();
});

test('a connection that brings little with each piece › is held, then read in its turn; once closed, never again', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'performance'] });
  const arrivals = new Arrivals();
  const noted: string[] = [];
  const [one, closing] = [connection('one', 'a key', noted), connection('closing', 'a key', noted)];
  for (const each of [one, closing]) arrivals.readRarely(each);
  arrivals.readRarely(one);
  arrivals.closed(closing);
  expect([noted, one.isHeld, one.pausedFor]).toEqual([['one paused', 'closing paused'], true, null]);
  jest.runAllTimers();
  jest.useRealTimers();
  expect([one.isHeld, closing.isHeld, one.pausedFor, closing.pausedFor]).toEqual([false, true, 'a key', null]);
  while (!noted.includes('one read')) await nextIteration();
  await nextIteration();
  expect(noted).not.toContain('closing read');
});

test('chunks that arrive before a connection is read again › do not pause it once more', async () => {
  const arrivals = new Arrivals();
  const noted: string[] = [];
  arrivals.opened(connection('a', 'a key', noted));
  while (!noted.includes('a read')) await nextIteration();
  nowMs += 1_000;
  for (let index = 0; index < 100; index++) arrivals.arrived();
  expect(noted).toEqual(['a paused', 'a read']);
  await nextIteration();
  nowMs += 1_000;
  arrivals.arrived();
  nowMs += 1_000;
  for (let index = 0; index < 100; index++) arrivals.arrived();
  expect(noted).toEqual(['a paused', 'a read', 'a paused']);
});

test('connections that are accepted one after the other › requests begin for 1 ms meanwhile, and after 16 connections for 3 ms', async () => {
  const arrivals = new Arrivals();
  const all = Array.from({ length: 100 }, (_, index) => index);
  for (const index of all) arrivals.begin('a key', request(index));
  const counts: number[] = [];
  for (let index = 0; index < 35; index++) {
    arrivals.opened(connection(`n${index}`, 'a network', []));
    await nextIteration();
    counts.push(begun.length);
  }
  expect([0, 15, 16, 17, 32, 33].map((index) => counts[index])).toEqual([11, 26, 29, 30, 45, 48]);
});
