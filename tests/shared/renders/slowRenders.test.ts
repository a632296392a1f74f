import { renderFairness } from '../../../config/queues';
import type { Services } from '../../../shared/services';
import { openTestServices } from '../../support/installation';

const { usualMs, allowanceMs, allowanceGrowth } = renderFairness;
let services: Services;
let nowMs = 1;
let companyId = 0;
beforeAll(async () => {
  services = await openTestServices();
});
beforeEach(() => {
  companyId += 1;
  jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
});

/** Records prints one after the other, until the company counts as slow. Returns how many there were, at most 10,000. */
async function printsUntilSlow(ms: number): Promise<number> {
  for (let count = 1; count <= 10_000; count++) {
    nowMs += ms;
    await services.slowRenders.record(companyId, ms);
    if (services.slowRenders.hasRecorded(companyId)) return count;
  }
  return Infinity;
}

test('one render that was cut off › counts as slow, for its company alone', async () => {
  expect(await printsUntilSlow(10_000)).toBe(1);
  expect(await services.slowRenders.has(companyId)).toBe(true);
  expect(await services.slowRenders.has(companyId + 1)).toBe(false);
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
    await services.slowRenders.record(companyId, 2_000);
  }
  expect(services.slowRenders.hasRecorded(companyId)).toBe(false);
});
