import type { HttpCall, HttpReply } from '../installation/HttpClient';
import type { Ground } from './ground/Ground';
import type { Work } from './victim/work';

/** One thing that a company with a valid key does to the others. A file in `attacks/`, listed in its index. */
export interface Attack {
  /** For `--only`. */
  readonly name: string;
  readonly what: string;
  /** The victim's work that cannot be done under this attack's own conditions (not because of what it does). */
  readonly without?: readonly Work[];
  /** Environment of the API and the worker for this row alone. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Makes the attacker's company and records; a new, empty company when absent. Runs in the command's process. */
  prepare?(ground: Ground): Promise<Company>;
  /** Attacks until the signal is aborted. Runs in the attacker's process. */
  run(attacker: Attacker, signal: AbortSignal): Promise<void>;
  /** What is wrong with the responses that the attacker got, or null. */
  judge?(outcome: AttackOutcome): string | null;
}

/** A company, as the attacker and the victim need to know it. */
export interface Company {
  readonly companyId: number;
  readonly token: string;
  readonly clientId: number;
  /** Of drafts that exist already. */
  readonly invoiceIds: readonly number[];
}

/** What an attack works with. */
export interface Attacker {
  readonly baseUrl: string;
  readonly company: Company;
  readonly quick: boolean;
  /** Sends a request with the company's key and counts its status. @throws {Error} when the connection fails. */
  send(call: HttpCall): Promise<HttpReply>;
  /** Counts anything else that happened. */
  count(what: string): void;
}

export interface AttackOutcome {
  /** How often each status, or each failure of a connection, was met. */
  readonly counts: Readonly<Record<string, number>>;
}
