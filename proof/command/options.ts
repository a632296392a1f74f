import { readOptions } from '../../dev/readOptions';

export interface Options {
  /** Names of rows; empty means all. */
  readonly only: readonly string[];
  readonly rounds: number;
  readonly seed: number;
  /** Small numbers, for every change. Documentation and releases use the full ones. */
  readonly quick: boolean;
  readonly json: boolean;
  readonly list: boolean;
  /** A folder for the logs of all processes, or null. */
  readonly logs: string | null;
  /** The git revision of an earlier release, or null. */
  readonly from: string | null;
}

/** The name of a command, its rows, and its default number of rounds. */
export interface Command {
  readonly name: string;
  readonly rows: readonly { readonly name: string; readonly what: string }[];
  readonly rounds: { readonly full: number; readonly quick: number };
  /** True if the times of faults are random. `--seed` then repeats them. */
  readonly seeded: boolean;
  /** True if an earlier release takes part. `--from` then names it. */
  readonly hasEarlierRelease?: boolean;
}

const usage = ({ name, rounds, seeded, hasEarlierRelease }: Command): string => `npm run ${name} -- [options]
  --only <name>    one row (may be given more than once)
  --quick          small numbers
  --rounds <n>     rounds of each row (${rounds.full}, with --quick ${rounds.quick})${
    seeded ? '\n  --seed <n>       repeats the moments and choices of another run' : ''
  }${hasEarlierRelease ? '\n  --from <ref>     the git revision of the earlier release' : ''}
  --json           the result as JSON on stdout
  --logs <folder>  keeps the logs of all processes there
  --list           the rows and what they are`;

/** @throws {Error} with the usage for an option that is unknown or has no usable value. */
export function parseOptions(args: readonly string[], command: Command): Options {
  const { values, whole, rows } = readOptions(args, accepted, usage(command));
  const quick = values.quick ?? false;
  const names = command.rows.map(({ name }) => name);
  return {
    only: rows('only', values.only ?? [], names),
    quick,
    rounds: whole('rounds', values.rounds ?? String(command.rounds[quick ? 'quick' : 'full']), 1, 1_000),
    seed: whole('seed', values.seed ?? String(Math.floor(Math.random() * 1_000_000)), 0, 2 ** 31),
    json: values.json ?? false,
    list: values.list ?? false,
    logs: values.logs ?? null,
    from: values.from ?? null,
  };
}

const accepted = {
  only: { type: 'string', multiple: true },
  rounds: { type: 'string' },
  seed: { type: 'string' },
  quick: { type: 'boolean' },
  json: { type: 'boolean' },
  list: { type: 'boolean' },
  logs: { type: 'string' },
  from: { type: 'string' },
} as const;
