import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { withDeadline } from '../../workers/withDeadline';
import { startServer } from './gateways/localGateway';

setFlagsFromString('--expose_gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Resolves when the signal is aborted. */
const untilAborted = async (signal: AbortSignal): Promise<void> => void (await once(signal, 'abort'));

/** Returns the outcomes, or an empty list if garbage collection has taken a deadline. */
async function outcomesOf(calls: readonly Promise<unknown>[]): Promise<readonly PromiseSettledResult<unknown>[]> {
  const outcomes = Promise.allSettled(calls);
  for (const _ of 'ab') {
    await sleep(50);
    collectGarbage();
  }
  return Promise.race([outcomes, sleep(2_000, [], { ref: false })]);
}

test('work without an end › ends at its deadline, also after garbage collection', async () => {
  const outer = Array.from({ length: 20 }, () => new AbortController());
  const ended = await outcomesOf(outer.map(({ signal }) => withDeadline(500, signal, untilAborted)));
  expect(ended.map(({ status }) => status)).toEqual(outer.map(() => 'fulfilled'));
});

test('a request without a response › ends at its deadline, also after garbage collection', async () => {
  const server = await startServer(() => undefined);
  const outer = Array.from({ length: 5 }, () => new AbortController());
  const request = (signal: AbortSignal): Promise<Response> => fetch(server.url, { signal });
  const ended = await outcomesOf(outer.map(({ signal }) => withDeadline(500, signal, request)));
  await server.close();
  expect(ended).toMatchObject(outer.map(() => ({ reason: { name: 'AbortError' } })));
});

test.each(['before', 'during'])('an outer signal that is aborted %s the work › ends it', async (when) => {
  const outer = new AbortController();
  if (when === 'before') outer.abort();
  const ending = withDeadline(60_000, outer.signal, (signal) => (signal.aborted ? sleep(0) : untilAborted(signal)));
  outer.abort();
  await ending;
});

test('work that ends in time › has its result or error, and leaves neither a timer nor a listener', async () => {
  const [cleared, outer] = [jest.spyOn(globalThis, 'clearTimeout'), new AbortController()];
  const removed = jest.spyOn(outer.signal, 'removeEventListener');
  expect(await withDeadline(60_000, outer.signal, () => Promise.resolve(7))).toBe(7);
  await expect(withDeadline(60_000, undefined, () => Promise.reject(new Error('broke')))).rejects.toThrow('broke');
  expect(cleared).toHaveBeenCalledTimes(2);
  expect(removed).toHaveBeenCalledTimes(1);
  cleared.mockRestore();
});
