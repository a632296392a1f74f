import type { Bench } from '../rows/Row';

/** A measurement other than a rate against a baseline. */
export interface Figure {
  /** For `--only`. */
  name: string;
  what: string;
  /** `quick`: short, for a first impression. */
  measure(bench: Bench, quick: boolean, turns: Turns): Promise<Finding[]>;
}

/** How many measurements of each side, and how long each. */
export interface Turns {
  rounds: number;
  seconds: number;
}

/** One measured number, in the unit that `what` names, and its bound if it has one. */
export interface Finding {
  what: string;
  value: number;
  atMost?: number;
  atLeast?: number;
}

export const isMet = ({ value, atMost = Infinity, atLeast = -Infinity }: Finding): boolean =>
  value <= atMost && value >= atLeast;
