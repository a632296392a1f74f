import { Turns } from '../../../../shared/engine/fair';

afterEach(() => jest.useRealTimers());

/** Tasks that end when they are told to, and the names of those that have begun. */
function tasks(turns: Turns) {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const run = (key: number, name: string): Promise<unknown> =>
    turns.run(key, () => {
      begun.push(name);
      return new Promise<void>((resolve) => ends.set(name, resolve));
    });
  const end = async (name: string): Promise<void> => {
    ends.get(name)?.();
    await new Promise(setImmediate);
  };
  return { begun, run, end };
}
const turnsOf = (limit: number) => new Turns(limit, 5_000, () => new Error('too long'));

test('as many tasks of one key as the limit run; the others follow in their order', async () => {
  const { begun, run, end } = tasks(turnsOf(2));
  const all = ['a', 'b', 'c', 'd'].map((name) => run(1, name));
  expect(begun).toEqual(['a', 'b']);
  for (const name of ['b', 'a', 'c', 'd']) await end(name);
  await Promise.all(all);
  expect(begun).toEqual(['a', 'b', 'c', 'd']);
});

test('another key › has its own limit', async () => {
  const { begun, run, end } = tasks(turnsOf(1));
  const all = [1, 1, 2].map((key) => run(key, `of ${key}`));
  expect(begun).toEqual(['of 1', 'of 2']);
  // A task that is left waiting would be refused while another suite runs.
  for (const name of ['of 1', 'of 1', 'of 2']) await end(name);
  await Promise.all(all);
});

test('a task that has waited for too long › is refused and never begun, and those behind it go on', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate'] });
  const { begun, run, end } = tasks(turnsOf(1));
  const running = run(1, 'running');
  const refused = expect(run(1, 'too long')).rejects.toThrow('too long');
  jest.advanceTimersByTime(3_000);
  const later = run(1, 'later');
  jest.advanceTimersByTime(2_000);
  await refused;
  await end('running');
  await running;
  await end('later');
  await later;
  expect(begun).toEqual(['running', 'later']);
});

test('a task that fails › gives its turn to the next', async () => {
  const turns = turnsOf(1);
  const failed = expect(turns.run(1, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  await expect(turns.run(1, () => Promise.resolve('done'))).resolves.toBe('done');
  await failed;
});
