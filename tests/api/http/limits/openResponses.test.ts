import { EventEmitter } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { OpenResponses, PIECE_BYTES } from '../../../../api/http/limits/OpenResponses';
import { createLogger } from '../../../../shared/engine/log/log';

const MIB = 1024 * 1024;
const [one, two, three] = [1, 2, 3];
let open: OpenResponses;

beforeEach(() => {
  jest.useFakeTimers();
  open = new OpenResponses(16 * MIB, createLogger('silent', 'test'));
});
afterEach(() => jest.useRealTimers());

class FakeSocket extends EventEmitter {
  bytesWritten = 0;
  writableLength = 0;
  response: FakeResponse | null = null;

  resetAndDestroy(): void {
    this.response?.destroy();
  }
}

/** A response of which a reader takes what the test says. */
class FakeResponse extends EventEmitter {
  destroyed = false;

  constructor(readonly socket: FakeSocket) {
    super();
    socket.response = this;
  }

  destroy(): void {
    this.destroyed = true;
    this.emit('close');
  }

  wait(bytes: number): void {
    this.socket.bytesWritten += bytes;
    this.socket.writableLength += bytes;
  }

  take(bytes: number): void {
    this.socket.writableLength -= bytes;
  }
}

function watched(socket = new FakeSocket()): FakeResponse & ServerResponse {
  const response = new FakeResponse(socket) as FakeResponse & ServerResponse;
  open.watch(response);
  return response;
}

function held(companyId: number | string, bytes: number): FakeResponse {
  const response = watched();
  open.hold(response, companyId, bytes);
  response.wait(bytes);
  return response;
}

const overloaded = expect.objectContaining({
  code: 'overloaded',
  status: 503,
  headers: { 'Retry-After': '2' },
}) as Error;

describe('the bytes that responses hold', () => {
  test('of one company › are at most half of all, of which large ones leave a quarter', () => {
    held(one, 6 * MIB);
    expect(() => held(one, PIECE_BYTES + 1)).toThrow(overloaded);
    for (let small = 0; small < 32; small++) held(one, PIECE_BYTES);
    expect(() => held(one, 1)).toThrow(overloaded);
    held(two, 4 * MIB);
  });

  test('of callers without a key › are those of one company, however many networks they have', () => {
    held('192.0.2.1', 3 * MIB);
    held('192.0.2.2', 3 * MIB);
    expect(() => held('192.0.2.2', 1 * MIB)).toThrow(overloaded);
    held(one, 5 * MIB);
  });

  test('of a network of callers without a key › are cut off, the oldest first, when another one that holds less needs them', () => {
    const company = held(one, 6 * MIB);
    const first = held('192.0.2.1', 3 * MIB);
    jest.advanceTimersByTime(3_000);
    first.take(1);
    const second = held('192.0.2.1', 3 * MIB);
    const other = held('192.0.2.2', 2 * MIB);
    expect([first, second, other, company].map(({ destroyed }) => destroyed)).toEqual([true, false, false, false]);
    jest.advanceTimersByTime(3_000);
    for (const read of [second, other]) read.take(1);
    // It would hold more than the other.
    expect(() => held('192.0.2.2', 3 * MIB)).toThrow(overloaded);
  });

  test('of all companies › leave a quarter to small responses', () => {
    held(one, 6 * MIB);
    held(two, 6 * MIB);
    expect(() => held(three, PIECE_BYTES + 1)).toThrow(overloaded);
    held(three, PIECE_BYTES);
  });

  test('are free again when the response has ended, however it ends', () => {
    const response = held(one, 6 * MIB);
    response.emit('close');
    held(one, 6 * MIB);
  });

  test('are those of the next response of a connection, also when the one before closes after that', () => {
    const first = watched();
    open.hold(first, one, 6 * MIB);
    const second = watched(first.socket);
    open.hold(second, one, 6 * MIB);
    first.emit('close');
    open.change(first, one, 6 * MIB);
    expect(() => held(one, PIECE_BYTES + 1)).toThrow(overloaded);
    second.emit('close');
    held(one, 6 * MIB);
  });

  test('of a response that reports a change › are never refused; the next request of the company is', () => {
    const response = held(one, 6 * MIB);
    open.admit(one);
    open.hold(watched(), one, 3 * MIB, true);
    expect(() => open.admit(one)).toThrow(overloaded);
    open.admit(two);
    response.emit('close');
    open.admit(one);
  });

  test('of one more record of a list › are waited for', async () => {
    const response = held(one, 5 * MIB);
    const list = watched();
    open.hold(list, one, 4 * PIECE_BYTES);
    await open.roomForRecord(list, one);
    open.change(list, one, 2 * MIB);
    let isFree = false;
    const room = open.roomForRecord(list, one).then(() => (isFree = true));
    await jest.advanceTimersByTimeAsync(1_000);
    expect(isFree).toBe(false);
    response.emit('close');
    await jest.advanceTimersByTimeAsync(1_000);
    await room;
  });
});

describe('a reader', () => {
  test('that takes nothing for 30 seconds › is cut off', () => {
    const response = held(one, MIB);
    jest.advanceTimersByTime(29_000);
    expect(response.destroyed).toBe(false);
    jest.advanceTimersByTime(4_000);
    expect(response.destroyed).toBe(true);
  });

  test('that has closed its connection › leaves no timer behind once the system keeps nothing for it', async () => {
    const response = held(one, MIB);
    expect(open['checking']).toBeDefined();
    response.destroy();
    response.socket.emit('close');
    // Other timers of this thread may be those of earlier tests.
    while (open['checking'] !== undefined) {
      jest.advanceTimersByTime(3_000);
      // The time of a measurement.
      await readFile('/proc/self/status');
    }
  });

  test('that takes little again and again › is left alone', () => {
    const response = held(one, MIB);
    for (let taken = 0; taken < 10; taken++) {
      jest.advanceTimersByTime(20_000);
      response.take(1);
    }
    expect(response.destroyed).toBe(false);
  });

  test('for whom nothing is ready yet › is left alone', () => {
    const response = watched();
    jest.advanceTimersByTime(120_000);
    expect(response.destroyed).toBe(false);
  });

  test('that has stalled longest › is cut off sooner when its company needs the bytes; no other company is', () => {
    const other = held(two, 6 * MIB);
    const [first, second] = [held(one, 3 * MIB), held(one, 3 * MIB)];
    jest.advanceTimersByTime(7_000);
    second.take(1);
    jest.advanceTimersByTime(2_000);
    held(one, 3 * MIB);
    expect([first, second, other].map(({ destroyed }) => destroyed)).toEqual([true, false, false]);
  });

  test('of the company that holds most › is cut off when one that holds less needs the bytes, the slowest first', () => {
    const slow = [held(one, 3 * MIB), held('network', 6 * MIB)];
    jest.advanceTimersByTime(3_000);
    slow.push(held(one, 3 * MIB));
    const trickle = (): void => slow.forEach((response) => response.take(1));
    trickle();
    expect(() => held(two, MIB)).toThrow(overloaded);
    for (let passed = 0; passed < 2; passed++) {
      jest.advanceTimersByTime(3_000);
      trickle();
    }
    held(two, 3 * MIB);
    expect(slow.map(({ destroyed }) => destroyed)).toEqual([true, false, false]);
    held(three, 3 * MIB);
    expect(slow.map(({ destroyed }) => destroyed)).toEqual([true, true, false]);
  });

  test('on a connection that was idle for long › is no old one', () => {
    const socket = new FakeSocket();
    const before = watched(socket);
    jest.advanceTimersByTime(60_000);
    before.emit('close');
    const response = watched(socket);
    open.hold(response, one, 6 * MIB);
    held(two, 6 * MIB);
    expect(() => held(three, MIB)).toThrow(overloaded);
    expect(response.destroyed).toBe(false);
  });

  test('that has made progress by now › is left alone; to find that out takes one search, however many they are', () => {
    const readers = Array.from({ length: 50 }, () => held(one, PIECE_BYTES));
    jest.advanceTimersByTime(3_000);
    for (const reader of readers) reader.take(1);
    const search = jest.spyOn(open['readers'], 'values');
    expect(() => held(one, 6 * MIB)).toThrow(overloaded);
    expect(readers.some(({ destroyed }) => destroyed)).toBe(false);
    expect(search).toHaveBeenCalledTimes(1);
  });

  test('that has stalled › is cut off sooner when another company needs the bytes', () => {
    const [first] = [held(one, 6 * MIB), held(two, 6 * MIB)];
    jest.advanceTimersByTime(7_000);
    held(three, 6 * MIB);
    expect(first?.destroyed).toBe(true);
  });
});
