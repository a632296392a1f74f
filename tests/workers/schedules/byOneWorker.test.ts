import { metricsText } from '../../../shared/engine/metrics/metrics';
import type { Services } from '../../../shared/services';
import { byOneWorker } from '../../../workers/schedules/byOneWorker';
import { MovableClock } from '../../support/clock';
import { openTestServices } from '../../support/installation';
import { samplesOf } from '../../support/operator';

const EVERY_MS = 10 * 60_000;
const clock = new MovableClock();
let services: Services;
beforeAll(async () => {
  services = await openTestServices({ clock });
});

const scanIn = (task: () => Promise<unknown>): Promise<boolean> => byOneWorker(services, 'clean-up', EVERY_MS, task);
const lastSuccess = async (): Promise<number | undefined> =>
  samplesOf(await metricsText()).get('invoicing_scan_last_success_timestamp_seconds{scan="clean-up"}');

test('several workers › one of them scans, and another one in the next period', async () => {
  const scan = jest.fn(() => Promise.resolve());
  const did = await Promise.all([1, 2, 3].map(() => scanIn(scan)));
  expect(did.filter((each) => each)).toHaveLength(1);
  expect(scan).toHaveBeenCalledTimes(1);
  clock.moveOn(EVERY_MS);
  expect(await scanIn(scan)).toBe(true);
  expect(scan).toHaveBeenCalledTimes(2);
});

test('a scan that fails in the worker that is first › is reported as a success by no worker', async () => {
  const before = await lastSuccess();
  clock.moveOn(EVERY_MS);
  await expect(scanIn(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(await scanIn(() => Promise.resolve())).toBe(false);
  expect(await lastSuccess()).toBe(before);
  clock.moveOn(EVERY_MS);
  await scanIn(() => Promise.resolve());
  expect(await lastSuccess()).toBeGreaterThan(before ?? Infinity);
});
