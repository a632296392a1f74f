import type { Options } from '../command/options';
import type { Verdict } from '../command/runProof';
import type { Installation } from '../installation/startInstallation';
import type { Random } from './Random';
import type { World } from './World';

/** One fault of the machines. A file in `rows/`, listed in its index. */
export interface Fault {
  /** For `--only`. */
  readonly name: string;
  readonly what: string;
  /** Seconds within which everything works again. */
  readonly recoversWithin: number;
  /** True if an e-mail may end as uncertain: when the only process that knows the outcome is killed. */
  readonly mayBeUncertain?: boolean;
  /** Why this machine cannot play the row, or null. */
  impossible?(installation: Installation): Promise<string | null>;
  /** Plays one round. */
  play(world: World, random: Random, options: Options): Promise<Round>;
}

/** The result of one round, counted from outside the service. */
export interface Round {
  /** Operations that the API accepted (2xx), as the client saw it. */
  readonly accepted: number;
  /** Effects that must exist because of the accepted operations. */
  readonly expected: number;
  readonly found: number;
  readonly lost: number;
  readonly doubled: number;
  readonly uncertain: number;
  /** The time from the end of the fault until everything works. */
  readonly recoverySeconds: number;
  /** Other problems. */
  readonly problems: readonly string[];
}

/** Adds two parts of a round. */
export function addRounds(a: Round, b: Round): Round {
  return {
    accepted: a.accepted + b.accepted,
    expected: a.expected + b.expected,
    found: a.found + b.found,
    lost: a.lost + b.lost,
    doubled: a.doubled + b.doubled,
    uncertain: a.uncertain + b.uncertain,
    recoverySeconds: Math.max(a.recoverySeconds, b.recoverySeconds),
    problems: [...a.problems, ...b.problems],
  };
}

/** The outcome of all rounds of a fault. */
export interface FaultResult extends Verdict, Omit<Round, 'recoverySeconds' | 'problems'> {
  readonly what: string;
  readonly rounds: number;
  readonly recoverySeconds: { readonly median: number; readonly worst: number };
}
