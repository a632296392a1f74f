import type { Bench } from '../rows/Row';

/** What is measured otherwise than as a rate beside a baseline. */
export interface Figure {
  /** For `--only`. */
  name: string;
  what: string;
  /** `quick`: only a first impression. */
  measure(bench: Bench, quick: boolean): Promise<Finding[]>;
}

/** One measured number and its bound, in the unit that `what` names. */
export interface Finding {
  what: string;
  value: number;
  atMost: number;
}

export const isMet = ({ value, atMost }: Finding): boolean => value <= atMost;
