import { CostPause } from '../../../../shared/engine/fair/CostPause';
import { eventually } from '../../../support/eventually';

/** Uses the processor for this long. */
function spin(ms: number): void {
  const begun = process.cpuUsage();
  const usedMs = (): number => process.cpuUsage(begun).user / 1_000;
  while (usedMs() < ms);
}

test('costly work › the next work of its company waits, that of another begins immediately', async () => {
  const pauses = new CostPause();
  const done: string[] = [];
  pauses.run(1, () => spin(20));
  for (const name of ['first', 'second']) pauses.run(1, () => done.push(name));
  pauses.run(2, () => done.push('of another company'));
  expect(done).toEqual(['of another company']);
  await eventually(() => done.length === 3);
  expect(done).toEqual(['of another company', 'first', 'second']);
  pauses.run(1, () => done.push('later'));
  expect(done).toContain('later');
});

test('cheap work › begins immediately, and what it gives follows it', () => {
  const pauses = new CostPause();
  const done: number[] = [];
  for (let turn = 0; turn < 100; turn++)
    pauses.run(1, () => {
      pauses.run(1, () => done.push(2 * turn + 1));
      done.push(2 * turn);
    });
  expect(done).toEqual(Array.from({ length: 200 }, (_, index) => index));
});
