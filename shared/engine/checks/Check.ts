import type { VariableTexts } from '../../../config/variables';

/** `skipped`: there is nothing to check, or it cannot be checked while another check is broken. */
export type CheckStatus = 'ok' | 'warning' | 'broken' | 'skipped';

/** The result of a check. Operators read message and remedy, which never contain a secret. */
export interface Finding {
  readonly status: CheckStatus;
  readonly message: string;
  /** The remedy for a warning or a broken check. */
  readonly remedy?: string;
}

/** One property of the installation that can be checked. */
export interface Check {
  /** The part and its property, for example `MySQL: version`. */
  readonly name: string;
  /** The check is skipped while one of these variables has a wrong value. */
  readonly variables?: readonly (keyof VariableTexts)[];
  /** The check is skipped unless this one, of the same list, found no more than a warning. */
  readonly needs?: Check;
  /** An error counts as broken. */
  run(): Promise<Finding>;
}

export interface CheckResult extends Finding {
  readonly name: string;
}

export const ok = (message: string): Finding => ({ status: 'ok', message });
export const skipped = (message: string): Finding => ({ status: 'skipped', message });
export const warning = (message: string, remedy: string): Finding => ({ status: 'warning', message, remedy });
export const broken = (message: string, remedy: string): Finding => ({ status: 'broken', message, remedy });
