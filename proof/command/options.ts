import { randomInt } from 'node:crypto';
import { Command, Option } from 'commander';
import { positiveInteger } from '../../cli/arguments';

export interface Options {
  /** Names of rows; empty means all. */
  readonly only: readonly string[];
  readonly rounds: number;
  readonly seed: number;
  /** Small numbers, for the checks of every change. */
  readonly quick: boolean;
  readonly json: boolean;
  readonly list: boolean;
  /** A folder for the logs of all processes, or null. */
  readonly logs: string | null;
  /** The git revision of an earlier release, or null. */
  readonly from: string | null;
}

/** The name of a command, its rows, and its default number of rounds. */
export interface ProofCommand {
  readonly name: string;
  readonly rows: readonly { readonly name: string; readonly what: string }[];
  readonly rounds: { readonly full: number; readonly quick: number };
  /** True if the times of faults are random. `--seed` then repeats them. */
  readonly seeded: boolean;
  /** True if an earlier release takes part. `--from` then names it. */
  readonly hasEarlierRelease?: boolean;
}

/** Reads the command line. Ends the process with a message for an option that is unknown or has no usable value. */
export function readOptions({ name, rows, rounds, seeded, hasEarlierRelease }: ProofCommand): Options {
  const names = rows.map((row) => row.name);
  const command = new Command(`npm run ${name} --`)
    .addOption(new Option('--only <name...>', 'only these rows').choices(names))
    .option('--quick', 'small numbers')
    .option('--rounds <n>', `rounds of each row (${rounds.full}, with --quick ${rounds.quick})`, positiveInteger)
    .option('--json', 'the result as JSON on stdout')
    .option('--logs <folder>', 'keeps the logs of all processes there')
    .option('--list', 'the rows and what they are');
  if (seeded) command.option('--seed <n>', 'repeats the times and choices of another run', positiveInteger);
  if (hasEarlierRelease) command.option('--from <ref>', 'the git revision of the earlier release');
  const given = command.parse().opts<Partial<Options>>();
  const { quick = false } = given;
  const defaults = { only: [], json: false, list: false, logs: null, from: null, seed: randomInt(1, 1_000_000) };
  return { ...defaults, quick, rounds: rounds[quick ? 'quick' : 'full'], ...given };
}
