import { median } from '../../dev/measuring/statistics';
import type { Side } from '../rows/Row';

/** The result of one measurement of one side. */
export interface Sample {
  perSecond: number;
  /** The time of a single response, in milliseconds; null for a loop, which has no responses. */
  p50Ms: number | null;
  p99Ms: number | null;
  /** How many completed, including those before the counted time. */
  done: number;
}

/** Repeats `once` for the given seconds, `concurrency` at the same time, and measures it. */
export async function sampleOfLoop(
  concurrency: number,
  seconds: number,
  once: () => Promise<unknown>,
): Promise<Sample> {
  const completions: Completion[] = [];
  const end = performance.now() + seconds * 1000;
  const repeatUntilEnd = async (): Promise<void> => {
    for (let began = performance.now(); began < end; began = performance.now()) {
      await once();
      const at = performance.now();
      completions.push({ at, tookMs: at - began });
    }
  };
  await Promise.all(Array.from({ length: concurrency }, repeatUntilEnd));
  return sampleOf(completions, concurrency);
}

/** The time of a completion (`performance.now()`), and how long it took, in milliseconds. */
export interface Completion {
  at: number;
  tookMs: number;
}

/**
 * Returns the rate between the first completions and the last. Leaves out the first `inFlight` completions, which only
 * fill the pipeline, and the requests that are cut off at the end: both would lower the rate of long responses.
 */
export function sampleOf(completions: readonly Completion[], inFlight: number): Sample {
  const counted = completions.slice(inFlight);
  const start = completions[inFlight - 1];
  const end = counted[counted.length - 1];
  if (start === undefined || end === undefined)
    throw new Error('too few responses for a measurement: use more --seconds');
  const times = counted.map(({ tookMs }) => tookMs).sort((a, b) => a - b);
  const percentile = (share: number): number =>
    times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  return {
    perSecond: counted.length / ((end.at - start.at) / 1000),
    p50Ms: percentile(0.5),
    p99Ms: percentile(0.99),
    done: completions.length,
  };
}

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
