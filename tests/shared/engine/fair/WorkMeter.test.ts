import { once } from 'node:events';
import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { Duplex } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { meterConnection, useMeter } from '../../../../shared/engine/db/meterConnection';
import { WorkMeter } from '../../../../shared/engine/fair';

/** The event loop of the process, as the meter sees it. */
let loop: { idle: number; active: number };
const runs = (ms: number): number => (loop.active += ms);
const idles = (ms: number): number => (loop.idle += ms);

beforeEach(() => {
  loop = { idle: 1_000, active: 1_000 };
  jest.spyOn(performance, 'eventLoopUtilization').mockImplementation(() => ({ ...loop, utilization: 0 }));
});

test('the time on the event loop counts twice, the time in which it was idle once', () => {
  const meter = new WorkMeter();
  meter.start();
  runs(3);
  meter.lap();
  idles(10);
  meter.resume();
  runs(2);
  expect(meter.stop()).toBe(2 * (3 + 2) + 10);
});

test('a wait for a statement beside other work › counts little, but its length is known until the next start', () => {
  const meter = new WorkMeter();
  meter.start();
  meter.lap();
  runs(4_000);
  idles(10);
  meter.resume(4_010);
  meter.lap();
  idles(2);
  meter.resume(2);
  expect([meter.stop(), meter.longestWaitMs]).toEqual([12, 4_010]);
  idles(700);
  meter.start();
  meter.resume();
  expect(meter.longestWaitMs).toBe(0);
});

test('a wait that counts at most some time › is no longer than that', async () => {
  const meter = new WorkMeter();
  meter.start();
  meter.lap();
  await meter.atMost(20, () => {
    idles(1_500);
    meter.resume(1_500);
    return Promise.resolve();
  });
  expect(meter.longestWaitMs).toBe(20);
});

test('a wait that counts at most some time › counts no more when it takes longer, and all of it when it is shorter', async () => {
  const meter = new WorkMeter();
  meter.start();
  await meter.atMost(20, () => Promise.resolve(idles(1_500)));
  expect(meter.stop()).toBe(20);
  meter.start();
  await meter.atMost(20, () => Promise.resolve(idles(5)));
  idles(7);
  expect(meter.stop()).toBe(12);
});

test('what the event loop runs for another › counts for the other alone', () => {
  const [expensive, cheap] = [new WorkMeter(), new WorkMeter()];
  cheap.start();
  runs(1);
  cheap.lap();
  expensive.start();
  runs(500);
  expensive.lap();
  cheap.resume();
  runs(1);
  expect(cheap.stop()).toBe(4);
  expensive.resume();
  runs(100);
  expect(expensive.stop()).toBe(1_200);
});

test('work that goes on unnoticed after another was resumed › is not counted for the wrong one', () => {
  const [first, second] = [new WorkMeter(), new WorkMeter()];
  first.start();
  second.start();
  runs(50);
  expect(first.stop()).toBe(0);
  expect(second.stop()).toBe(100);
});

test('what runs after a pause › is nobody’s, until the work goes on', () => {
  const [first, second] = [new WorkMeter(), new WorkMeter()];
  first.start();
  runs(1);
  first.pause();
  runs(500);
  first.lap();
  first.resume();
  runs(2);
  first.lap();
  second.start();
  first.pause();
  runs(4);
  expect([first.stop(), second.stop()]).toEqual([6, 8]);
});

test('rows of a connection are the work’s, and what follows them at once; what runs later is not', async () => {
  const stream = new Duplex({ read: () => undefined });
  const connection = { stream: stream as Socket };
  const meter = new WorkMeter();
  meterConnection(connection);
  useMeter(connection, meter);
  meter.start();
  const rows = once(stream, 'data').then(() => runs(3));
  stream.push('rows');
  await rows;
  await setImmediate();
  runs(500);
  expect(meter.stop()).toBe(6);
});

test('a meter that is started again › begins with nothing', () => {
  const meter = new WorkMeter();
  meter.start();
  runs(5);
  meter.stop();
  idles(60_000);
  meter.start();
  runs(1);
  expect(meter.stop()).toBe(2);
});

test('what is added while the work is stopped › counts once, when it goes on', () => {
  const meter = new WorkMeter();
  meter.start();
  meter.stop();
  meter.add(5);
  meter.start();
  expect(meter.stop()).toBe(5);
  meter.start();
  expect(meter.stop()).toBe(0);
});

test('many pieces of work that breathe at the same time › each goes on in a turn of the event loop of its own', async () => {
  let turns = 0;
  const others = async (): Promise<void> => {
    for (; turns < 10; turns++) await setImmediate();
  };
  const goneOn: number[] = [];
  const pieces = [1, 2, 3, 4].map(async () => {
    await new WorkMeter().breathe();
    goneOn.push(turns);
  });
  await Promise.all([others(), ...pieces]);
  expect(new Set(goneOn).size).toBe(4);
});
