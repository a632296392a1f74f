import type { Verdict } from '../command/runProof';
import type { Experience, Work } from './victim/work';
import { median } from '../../dev/measuring/statistics';

/** Median and worst, in milliseconds. */
export interface Latency {
  readonly median: number;
  readonly worst: number;
  readonly count: number;
}

export interface Comparison {
  readonly without: Latency;
  readonly with: Latency;
  /** How many times slower the median is; medians below the floor count as the floor. */
  readonly times: number;
}

/** The outcome of one attack. */
export interface AttackResult extends Verdict {
  readonly what: string;
  readonly works: Partial<Record<Work, Comparison>>;
  /** Requests of the victim that failed during the attack, and how. */
  readonly errors: number;
  /** The most during the attack, by process. */
  readonly megabytes: { readonly api: number; readonly worker: number };
  readonly lagMs: { readonly api: number; readonly worker: number };
  readonly deaths: readonly string[];
  /** The responses that the attacker got. */
  readonly attacker: Readonly<Record<string, number>>;
}

export type Experiences = Partial<Record<Work, Experience>>;

/** The limit of the victim's median during an attack, as a multiple of its median without one. */
export const mostTimesSlower = 3;

/**
 * Lower medians count as this. Reads take 2 ms, which scheduling on two cores can double: the limit is for delays that
 * a user could notice. With `--quick` there are two or three requests of each kind, on processes that may have just
 * started on a busy machine, where 7,000 connections take 4 s to be accepted: they only show whether the victim is blocked.
 */
export const floorMs = { full: 5, quick: 2_000 };

/** The longest allowed delay of an event loop, in milliseconds. The code aims at 50 ms; the machine may be busy. */
export const mostLagMs = 1_000;

/** The most resident memory of the API or the worker, in megabytes (10^6 bytes), as in a small container. */
export const mostMegabytes = 512;

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
