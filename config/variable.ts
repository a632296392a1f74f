import type { Kind } from './kinds';

/** The kind of process. `tool` is a command of the command line (migrations, API keys …). */
export type Purpose = 'api' | 'worker' | 'tool';

/** The environment that is being read, for conditions on other variables. */
export interface Environment {
  readonly purpose: Purpose;
  /** Returns the text of the variable of this name, or its default. */
  readonly textOf: (name: string) => string;
}

/** When a variable must not be empty. */
export interface Requirement {
  /** Completes "Required …" in the documentation. */
  readonly where: string;
  readonly applies: (environment: Environment) => boolean;
  /** Completes "NAME is empty" in the error. */
  readonly remedy: string;
}

/** One environment variable: everything that the service and its documentation know about it. */
export interface Variable<T = unknown, N extends string = string> {
  readonly name: N;
  readonly kind: Kind<T>;
  /** Written as in the environment; empty for none. */
  readonly default: string;
  /** One or two sentences for operators, in Markdown. */
  readonly meaning: string;
  readonly readBy: readonly Purpose[];
  /** The text never appears in an error. */
  readonly secret?: true;
  readonly required?: Requirement;
}

/** Variables, in the shape of their configuration. */
export interface Group {
  readonly [key: string]: Variable | Group;
}

/** The values of a group. */
export type ValuesOf<G extends Group> = {
  readonly [K in keyof G]: G[K] extends Variable<infer T> ? T : G[K] extends Group ? ValuesOf<G[K]> : never;
};

/** The names of a group's environment variables. */
export type NamesOf<G extends Group> = {
  [K in keyof G]: G[K] extends Variable<unknown, infer N> ? N : G[K] extends Group ? NamesOf<G[K]> : never;
}[keyof G];

/** Returns a function that describes a variable which these processes read. */
export function readBy(...processes: readonly Purpose[]) {
  return <T, const N extends string>(
    name: N,
    kind: Kind<T>,
    preset: string,
    meaning: string,
    more: Pick<Variable, 'secret' | 'required'> = {},
  ): Variable<T, N> => ({ name, kind, default: preset, meaning, readBy: processes, ...more });
}

/** Returns an object of the same shape, with the result of `read` for each variable. */
export function readGroup<G extends Group>(group: G, read: (variable: Variable) => unknown): ValuesOf<G> {
  const entries = Object.entries(group).map(([key, entry]) => [
    key,
    isVariable(entry) ? read(entry) : readGroup(entry, read),
  ]);
  return Object.fromEntries(entries) as ValuesOf<G>;
}

/** Lists the variables of a group and of the groups in it. */
export function variablesIn(group: Group): Variable[] {
  return Object.values(group).flatMap((entry) => (isVariable(entry) ? [entry] : variablesIn(entry)));
}

function isVariable(entry: Variable | Group): entry is Variable {
  return typeof entry.name === 'string';
}
