import type { ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers';
import type { OpenResponses } from '../../../api/http/limits/OpenResponses';
import { textContent } from '../../../api/http/routing/textContent';
import { SlotPool, WorkMeter, type Turn } from '../../../shared/engine/fair';

const CHUNKS = 50;

async function* chunks(): AsyncGenerator<string> {
  for (let made = 0; made < CHUNKS; made++) yield await Promise.resolve('x');
}

test.each([
  ['as it is', false, 0.6],
  ['compressed', true, 2.6],
])('a reader that waits for nothing, of text %s › other work runs between two chunks', async (_, isZipped, ms) => {
  let turnsOfOthers = 0;
  let next: NodeJS.Immediate;
  const others = (): void => {
    turnsOfOthers += 1;
    next = setImmediate(others);
  };
  others();
  const meter = new WorkMeter();
  const counted = jest.spyOn(meter, 'add');
  const turn = { meter, further: <T>(work: () => Promise<T>) => work() };
  const open = { roomForRecord: () => Promise.resolve(), change: () => undefined };
  const destination = {
    ...{ response: { hasHeader: () => isZipped } as unknown as ServerResponse, flow: 1, failed: () => undefined },
    ...{ open: open as unknown as OpenResponses, turn: turn as Turn, slots: new SlotPool([1]) },
  };
  let bytes = 0;
  for await (const piece of textContent(chunks(), destination)) bytes += (piece as Buffer).length;
  clearImmediate(next!);
  expect(bytes).toBe(CHUNKS);
  // Sending each takes what no meter sees.
  expect(counted.mock.calls).toEqual(Array.from({ length: CHUNKS }, () => [ms]));
  expect(turnsOfOthers).toBeGreaterThanOrEqual(CHUNKS);
});
