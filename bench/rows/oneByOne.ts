import { median } from '../../dev/measuring/median';
import type { Side } from './Row';

/** Measures long work that is repeated one run after the other, at least `times` times. */
export function oneByOne(work: () => Promise<void>, { times = 3, unitsEach = 1 } = {}): Side {
  return async (seconds) => {
    const took: number[] = [];
    const until = performance.now() + seconds * 1_000;
    while (took.length < times || performance.now() < until) {
      const began = performance.now();
      await work();
      took.push(performance.now() - began);
    }
    const done = took.length * unitsEach;
    const elapsed = took.reduce((sum, ms) => sum + ms, 0);
    return { perSecond: done / (elapsed / 1_000), p50Ms: median(took), p99Ms: null, done };
  };
}
