import type { Options, Verdict } from '../command/runProof';
import type { Installation } from '../../dev/installation/startInstallation';
import type { Random } from './Random';
import type { World } from './World';

/**
 * Counts from outside the service: operations that the API accepted (2xx); effects that must exist because of them,
 * exist, are missing, or exist more than once; operations whose outcome the service does not know.
 */
export const countNames = ['accepted', 'expected', 'found', 'lost', 'doubled', 'uncertain'] as const;

export type Counts = Record<(typeof countNames)[number], number>;

export const noCounts = (): Counts => ({ accepted: 0, expected: 0, found: 0, lost: 0, doubled: 0, uncertain: 0 });

export const addCounts = (a: Readonly<Counts>, b: Readonly<Counts>): Counts =>
  Object.fromEntries(countNames.map((name) => [name, a[name] + b[name]])) as Counts;

/** The longest wait for anything that must happen after a fault: much longer than it takes on a busy machine. */
export const patienceMs = 90_000;

/** One fault of the machines. A file in `rows/`, listed in its index, or an entry of `rows/strikes.ts`. */
export interface Fault {
  /** For `--only`. */
  readonly name: string;
  readonly what: string;
  /** Seconds within which everything works again. */
  readonly recoversWithin: number;
  /** True if an e-mail may end as uncertain: when the only process that knows the outcome is killed. */
  readonly mayBeUncertain?: boolean;
  /** True if there can be no other round on the installation. */
  readonly isPlayedOnce?: boolean;
  /** Why this machine cannot play the row, or null. */
  impossible?(installation: Installation): Promise<string | null>;
  /** Plays one round. */
  play(world: World, random: Random, options: Options): Promise<Round>;
}

/** The result of one round. */
export interface Round extends Readonly<Counts> {
  /** The time from the end of the fault until everything works. */
  readonly recoverySeconds: number;
  /** Other problems. */
  readonly problems: readonly string[];
}

/** Adds two parts of a round. */
export function addRounds(a: Round, b: Round): Round {
  return {
    ...addCounts(a, b),
    recoverySeconds: Math.max(a.recoverySeconds, b.recoverySeconds),
    problems: [...a.problems, ...b.problems],
  };
}

/** The outcome of all rounds of a fault. */
export interface FaultResult extends Verdict, Readonly<Counts> {
  readonly what: string;
  readonly rounds: number;
  readonly recoverySeconds: { readonly median: number; readonly worst: number };
}
