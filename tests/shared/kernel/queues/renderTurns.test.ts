import type { Redis } from 'ioredis';
import { renderFairness } from '../../../../config/queues';
import { Overloaded } from '../../../../shared/kernel/errors';
import { createLogger } from '../../../../shared/kernel/log';
import { RenderTurns } from '../../../../shared/kernel/queues/RenderTurns';

/** Redis as it is where no render was cut off, or as many as given. */
const turnsAfter = (cutOffs: string | null) => {
  const redis = { get: () => Promise.resolve(cutOffs) } as unknown as Redis;
  return new RenderTurns(redis, '{test}', createLogger('silent', 'test'));
};

describe('RenderTurns', () => {
  it('gives each render its place among those of its company, and moves it up when one before it ends', async () => {
    const turns = turnsAfter(null);
    let end: () => void = () => undefined;
    const first = turns.hold(1, 'a', () => new Promise<void>((resolve) => (end = resolve)));
    void turns.hold(1, 'b', () => new Promise(() => undefined));
    void turns.hold(2, 'c', () => new Promise(() => undefined));
    const priorities = () =>
      Promise.all([turns.priorityOf(1, 'a'), turns.priorityOf(1, 'b'), turns.priorityOf(2, 'c')]);
    expect(await priorities()).toEqual([1, 2, 1]);
    end();
    await first;
    expect(await turns.priorityOf(1, 'b')).toBe(1);
  });

  it('counts a render for which several requests wait once, until the last of them ends', async () => {
    const turns = turnsAfter(null);
    let end: () => void = () => undefined;
    const first = turns.hold(1, 'a', () => new Promise<void>((resolve) => (end = resolve)));
    await turns.hold(1, 'a', () => Promise.resolve());
    expect(turns.waitingOf(1)).toBe(1);
    end();
    await first;
    expect(turns.isHeld(1, 'a')).toBe(false);
    expect(turns.waitingOf(1)).toBe(0);
  });

  it('places a company whose renders were cut off behind every render of the others', async () => {
    expect(await turnsAfter('1').priorityOf(1, 'a')).toBeGreaterThan(renderFairness.waitingOfCompany);
    const last = await turnsAfter('1000000').priorityOf(1, 'a');
    expect(last).toBeLessThan(2 ** 21);
  });

  it('refuses one render more than a company may wait for, and no other company’s', async () => {
    const turns = turnsAfter(null);
    for (let job = 0; job < renderFairness.waitingOfCompany; job += 1) {
      void turns.hold(1, `job-${job}`, () => new Promise(() => undefined));
    }
    await expect(turns.hold(1, 'one more', () => Promise.resolve())).rejects.toThrow(Overloaded);
    await expect(turns.hold(1, 'job-0', () => Promise.resolve('shared'))).resolves.toBe('shared');
    await expect(turns.hold(2, 'another company', () => Promise.resolve('free'))).resolves.toBe('free');
  });
});
