import type { HttpCall, HttpReply } from '../installation/HttpClient';
import type { Ground } from './ground/Ground';
import type { Work } from './victim/work';

/** An attack by a company with a valid key on the other companies. An entry of a list in `attacks/`. */
export interface Attack {
  /** For `--only`. */
  readonly name: string;
  readonly what: string;
  /** Kinds of the victim's work that the set-up of this attack does not allow. */
  readonly without?: readonly Work[];
  /** Environment of the API and the worker for this row alone. With one, what is prepared is not waited for before the attack. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Makes the attacker's company and records; a new, empty company when absent. Runs in the command's process. */
  prepare?(ground: Ground): Promise<Company>;
  /** Makes records fall due in each round, between the phase without the attack and the one with it. Runs in the command's process. */
  begin?(ground: Ground, company: Company): Promise<void>;
  /** Undoes what `prepare` has set for all companies. */
  restore?(ground: Ground): Promise<void>;
  /** Attacks until the signal is aborted. Runs in the attacker's process. */
  run(attacker: Attacker, signal: AbortSignal): Promise<void>;
  /** Returns a problem of the responses that the attacker got, or null. */
  judge?(outcome: AttackOutcome): string | null;
}

/** A company, with the data that attacker and victim need. */
export interface Company {
  readonly companyId: number;
  readonly token: string;
  readonly clientId: number;
  /** The ids of existing drafts. */
  readonly invoiceIds: readonly number[];
  /** Companies that take part in the same attack. */
  readonly allies?: readonly Company[];
}

/** The tools of an attack. */
export interface Attacker {
  readonly baseUrl: string;
  readonly company: Company;
  readonly quick: boolean;
  /** Sends a request with the company's key and counts its status. @throws {Error} when the connection fails. */
  send(call: HttpCall): Promise<HttpReply>;
  /** Counts another event. */
  count(what: string): void;
}

export interface AttackOutcome {
  /** How often each status, or each connection error, occurred. */
  readonly counts: Readonly<Record<string, number>>;
}
