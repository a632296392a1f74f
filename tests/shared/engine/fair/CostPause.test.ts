import { CostPause } from '../../../../shared/engine/fair/CostPause';
import { eventually } from '../../../support/eventually';

/** Uses the processor for this long. Other threads of the process use it, too, so that time may be ahead of the clock. */
function spin(ms: number): void {
  const [begun, at] = [process.cpuUsage(), performance.now()];
  const usedMs = (): number => process.cpuUsage(begun).user / 1_000;
  while (usedMs() < ms || performance.now() - at < ms);
}

const charge = jest.fn<void, [number]>();

test('costly work › the next work of its company waits, that of another begins immediately', async () => {
  const pauses = new CostPause();
  const done: string[] = [];
  pauses.run(1, () => spin(20), charge);
  for (const name of ['first', 'second']) pauses.run(1, () => done.push(name), charge);
  pauses.run(2, () => done.push('of another company'), charge);
  expect(done).toEqual(['of another company']);
  await eventually(() => done.length === 3);
  expect(done).toEqual(['of another company', 'first', 'second']);
  pauses.run(1, () => done.push('later'), charge);
  expect(done).toContain('later');
});

test('the cost of work is charged when it has run', () => {
  const pauses = new CostPause();
  const charged = jest.fn<void, [number]>();
  pauses.run(1, () => spin(20), charged);
  pauses.run(1, () => undefined, charged);
  expect(charged).toHaveBeenCalledTimes(1);
  expect(charged.mock.lastCall?.[0]).toBeGreaterThanOrEqual(20);
});

test('cheap work › begins immediately, and what it gives follows it', () => {
  const pauses = new CostPause();
  const done: number[] = [];
  for (let turn = 0; turn < 100; turn++)
    pauses.run(
      1,
      () => {
        pauses.run(1, () => done.push(2 * turn + 1), charge);
        done.push(2 * turn);
      },
      charge,
    );
  expect(done).toEqual(Array.from({ length: 200 }, (_, index) => index));
});
