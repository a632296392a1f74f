import { setImmediate } from 'node:timers/promises';
import type { Answer } from '../../../workers/webhooks/checkedLookup';
import { fairResolve } from '../../../workers/webhooks/fairResolve';

/** A name server that answers when the test says so. */
function nameServer() {
  const asked: string[] = [];
  const answers = new Map<string, (found: Answer) => void>();
  const lookUp = fairResolve((name) => {
    asked.push(name);
    return new Promise((answer) => answers.set(name, answer));
  }, 3);
  const answer = async (name: string, costMs = 0): Promise<void> => {
    answers.get(name)?.({ addresses: [{ address: '192.0.2.1', family: 4 }], costMs });
    await setImmediate();
  };
  return { asked, lookUp, answer };
}

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['setImmediate'] });
});
afterEach(() => jest.useRealTimers());

test('names of one company › three are looked up at a time; other companies do not wait', async () => {
  const { asked, lookUp, answer } = nameServer();
  for (const name of ['a', 'b', 'c', 'd']) void lookUp(1, name);
  void lookUp(2, 'x');
  expect(asked).toEqual(['a', 'b', 'c', 'x']);
  await answer('b');
  expect(asked).toEqual(['a', 'b', 'c', 'x', 'd']);
});

test('a name › is looked up once for all requests of a company that need it meanwhile', async () => {
  const { asked, lookUp, answer } = nameServer();
  void lookUp(2, 'a');
  const found = [lookUp(1, 'a'), lookUp(1, 'a')];
  expect(asked).toEqual(['a', 'a']);
  await answer('a');
  void lookUp(1, 'a');
  expect(asked).toHaveLength(3);
  expect(found[0]).toBe(found[1]);
});

test('after an answer that took 32 ms to read › the next name of that company waits', async () => {
  const { asked, lookUp, answer } = nameServer();
  for (const name of ['a', 'b', 'c', 'd']) void lookUp(1, name);
  await answer('a', 32);
  jest.advanceTimersByTime(339);
  await setImmediate();
  expect(asked).toEqual(['a', 'b', 'c']);
  jest.advanceTimersByTime(1);
  await setImmediate();
  expect(asked).toEqual(['a', 'b', 'c', 'd']);
});

test('a name behind silent ones › fails in time', async () => {
  const { lookUp } = nameServer();
  for (const name of ['a', 'b', 'c']) void lookUp(1, name);
  const late = lookUp(1, 'd').catch((error: NodeJS.ErrnoException) => error.code);
  jest.advanceTimersByTime(8_000);
  expect(await late).toBe('ETIMEOUT');
});
