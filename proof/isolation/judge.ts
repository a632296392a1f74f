import { median } from '../../dev/measuring/median';
import type { Comparison, Experiences, Latency } from './Outcome';
import { mostLagMs, mostMegabytes, mostTimesSlower } from './limits';
import type { Work } from './victim/work';

type Findings = {
  works: Partial<Record<Work, Comparison>>;
  failures: readonly string[];
  megabytes: { api: number; worker: number };
  lagMs: { api: number; worker: number };
  deaths: readonly string[];
};

/** Merges the measurements of each kind. */
export function merge(parts: readonly Experiences[]): Experiences {
  const merged: Experiences = {};
  for (const part of parts) {
    for (const [work, { tookMs, failures }] of Object.entries(part) as [Work, NonNullable<Experiences[Work]>][]) {
      const whole = (merged[work] ??= { tookMs: [], failures: [] });
      whole.tookMs.push(...tookMs);
      whole.failures.push(...failures);
    }
  }
  return merged;
}

export function compare(
  works: readonly Work[],
  without: Experiences,
  during: Experiences,
  floor: number,
): Partial<Record<Work, Comparison>> {
  return Object.fromEntries(
    works.map((work) => {
      const [before, after] = [latency(without[work]?.tookMs ?? []), latency(during[work]?.tookMs ?? [])];
      const times = Math.max(after.median, floor) / Math.max(before.median, floor);
      return [work, { without: before, with: after, times }];
    }),
  );
}

function latency(tookMs: readonly number[]): Latency {
  return { median: median(tookMs), worst: Math.max(0, ...tookMs), count: tookMs.length };
}

/** Returns the problems as sentences; empty when all measurements are within their bounds. */
export function problemsOf({ works, failures, megabytes, lagMs, deaths }: Findings): string[] {
  const problems = deaths.map((how) => how.split('\n')[0] ?? how);
  if (failures.length > 0) problems.push(`${failures.length} requests of the victim failed (${failures[0]})`);
  for (const [work, { times, with: during }] of Object.entries(works)) {
    if (during.count === 0) problems.push(`no ${work} succeeded`);
    else if (times > mostTimesSlower) problems.push(`${work} is ${times.toFixed(1)} times slower`);
  }
  for (const name of ['api', 'worker'] as const) {
    if (megabytes[name] > mostMegabytes) problems.push(`the ${name} took ${Math.round(megabytes[name])} MB`);
    if (lagMs[name] > mostLagMs)
      problems.push(`the event loop of the ${name} was blocked for ${Math.round(lagMs[name])} ms`);
  }
  return problems;
}
