import type { Verdict } from '../command/runProof';
import type { Experience, Work } from './victim/work';

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
