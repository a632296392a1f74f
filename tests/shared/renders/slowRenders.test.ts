import { renderFairness } from '../../../config/queues';
import { createLogger } from '../../../shared/engine/log/log';
import type { RedisClient } from '../../../shared/engine/redis';
import { SlowRenders } from '../../../shared/renders';

const { usualMs, allowanceMs, allowanceGrowth } = renderFairness;
const [companyId, another] = [1, 2];
let nowMs = 0;
let renders: SlowRenders;
beforeEach(() => {
  nowMs = 1;
  jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
  // Nothing but what this process has recorded is asked for.
  const redis = { set: () => Promise.resolve('OK') } as unknown as RedisClient;
  renders = new SlowRenders(redis, 'test', createLogger('silent', 'test'));
});

/** Records prints one after the other, until the company counts as slow. Returns how many there were, at most 10,000. */
async function printsUntilSlow(ms: number): Promise<number> {
  for (let count = 1; count <= 10_000; count++) {
    nowMs += ms;
    await renders.record(companyId, ms);
    if (renders.hasRecorded(companyId)) return count;
  }
  return Infinity;
}

test('one render that was cut off › counts as slow, for its company alone', async () => {
  expect(await printsUntilSlow(10_000)).toBe(1);
  expect(renders.hasRecorded(another)).toBe(false);
});

test('renders that take a little too long, one after the other › use up the allowance', async () => {
  const [each, grows] = [900 - usualMs, 900 * allowanceGrowth];
  const count = await printsUntilSlow(900);
  expect(count).toBe(Math.ceil((allowanceMs - grows) / (each - grows)));
});

test('usual renders without an end › do not', async () => {
  expect(await printsUntilSlow(usualMs)).toBe(Infinity);
});

test('a render of two seconds each minute › does not: the allowance grows', async () => {
  for (let minute = 0; minute < 100; minute++) {
    nowMs += 60_000;
    await renders.record(companyId, 2_000);
  }
  expect(renders.hasRecorded(companyId)).toBe(false);
});
