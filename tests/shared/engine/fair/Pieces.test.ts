import { setImmediate as nextIteration } from 'node:timers/promises';
import { Pieces } from '../../../../shared/engine/fair/Pieces';

test('tasks › run in order, at most so many in each iteration of the event loop, and those that a task adds in a later one', async () => {
  const pieces = new Pieces(4);
  const done: number[] = [];
  const add = (task: number): void =>
    pieces.add(() => {
      done.push(task);
      if (task === 9) add(10);
    });
  for (let task = 0; task < 10; task++) add(task);
  const counts: number[] = [];
  while (done.length < 11) {
    counts.push(done.length);
    await nextIteration();
  }
  expect(counts).toEqual([0, 4, 8, 10]);
  expect(done).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});
