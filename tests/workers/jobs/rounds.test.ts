import { DatabaseUnavailable, ServiceUnavailable } from '../../../shared/engine/errors';
import { type Play, Rounds } from '../../../workers/jobs/Rounds';

/** Plays that note what they did, and which the test lets end. */
class Played implements Play<number, string> {
  readonly rounds: (readonly number[])[] = [];
  readonly alone = jest.fn((item: number) => Promise.resolve(`${item} alone`));
  private ends: (() => void)[] = [];

  constructor(private readonly work: (items: readonly number[]) => readonly (string | null)[] = sent) {}

  async together(items: readonly number[]): Promise<readonly (string | null)[]> {
    this.rounds.push(items);
    await new Promise<void>((resolve) => this.ends.push(resolve));
    return this.work(items);
  }

  /** Lets the round end that is under way, as soon as there is one. */
  async end(): Promise<void> {
    while (this.ends.length === 0) await new Promise(setImmediate);
    this.ends.shift()?.();
  }
}

const sent = (items: readonly number[]): string[] => items.map((item) => `${item} together`);
const stage = {};
const numbers = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, n) => from + n);

test('a round › takes what arrived in the same iteration, and the next one what arrived meanwhile, at most 32', async () => {
  const rounds = new Rounds();
  const play = new Played();
  const first = [1, 2].map((item) => rounds.join(stage, 1, item, play));
  while (play.rounds.length === 0) await new Promise(setImmediate);
  const later = numbers(3, 40).map((item) => rounds.join(stage, 1, item, play));
  await play.end();
  expect(await Promise.all(first)).toEqual(['1 together', '2 together']);
  await play.end();
  await play.end();
  expect((await Promise.all(later)).at(-1)).toBe('40 together');
  expect(play.rounds).toEqual([[1, 2], numbers(3, 34), numbers(35, 40)]);
  expect(play.alone).not.toHaveBeenCalled();

  const again = rounds.join(stage, 1, 41, play);
  await play.end();
  expect(await again).toBe('41 together');
});

test('rounds of other companies and of other stages › do not wait for one', async () => {
  const rounds = new Rounds();
  const stuck = new Played();
  void rounds.join(stage, 1, 1, stuck);
  for (const [ofStage, company] of [
    [stage, 2],
    [{}, 1],
  ] as const) {
    const play = new Played();
    const joined = rounds.join(ofStage, company, 2, play);
    await play.end();
    expect(await joined).toBe('2 together');
  }
});

test('what a round leaves out › is done alone, and the next round does not wait for it', async () => {
  const rounds = new Rounds();
  const play = new Played((items) => items.map((item) => (item === 1 ? null : `${item} together`)));
  let release: () => void = () => undefined;
  play.alone.mockImplementationOnce(async (item) => {
    await new Promise<void>((resolve) => (release = resolve));
    return `${item} alone`;
  });
  const locked = rounds.join(stage, 1, 1, play);
  const other = rounds.join(stage, 1, 2, play);
  await play.end();
  expect(await other).toBe('2 together');
  const next = rounds.join(stage, 1, 3, play);
  await play.end();
  expect(await next).toBe('3 together');
  release();
  expect(await locked).toBe('1 alone');
});

test.each([
  ['was rolled back', new Error('one is not as expected'), true],
  ['met a lock for too long', new DatabaseUnavailable('contended'), true],
  ['lost its connection', new DatabaseUnavailable('unavailable'), false],
  ['met what is unavailable', new ServiceUnavailable('the database'), false],
])('a round that %s › each of it is done alone, unless it may have been committed', async (_, error, isDoneAlone) => {
  const rounds = new Rounds();
  const play = new Played(() => {
    throw error;
  });
  const joined = [1, 2].map((item) => rounds.join(stage, 1, item, play));
  const ended = Promise.allSettled(joined);
  await play.end();
  expect(await ended).toEqual(
    isDoneAlone
      ? [1, 2].map((item) => ({ status: 'fulfilled', value: `${item} alone` }))
      : [1, 2].map(() => ({ status: 'rejected', reason: error })),
  );
});
