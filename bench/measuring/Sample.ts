/** What one measurement of one side came to. */
export interface Sample {
  perSecond: number;
  /** Of the single answers, in milliseconds; null where there is no waiting (a loop). */
  p50Ms: number | null;
  p99Ms: number | null;
  /** How many were done, those before the clock ran included. */
  done: number;
}

/** Times of completions (`performance.now()`), and how long each took, in milliseconds. */
export interface Completion {
  at: number;
  tookMs: number;
}

/**
 * The rate between the first completions and the last. The first `inFlight` ones only fill the line, and what the end of the
 * measurement cuts off would count as slow: without both, long answers look slower than they are.
 */
export function sampleOf(completions: readonly Completion[], inFlight: number): Sample {
  const counted = completions.slice(inFlight);
  const start = completions[inFlight - 1];
  const end = counted[counted.length - 1];
  if (start === undefined || end === undefined)
    throw new Error('too few answers for a measurement: use more --seconds');
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
