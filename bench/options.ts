import { Command, Option } from 'commander';
import { positiveInteger } from '../cli/arguments';

export interface Options {
  /** Names of rows; empty means all. */
  only: readonly string[];
  rounds: number;
  /** The length of one measurement. Each row takes `rounds` measurements on each side. */
  seconds: number;
  /** Short measurements without memory growth: for a first impression, not for published numbers. */
  quick: boolean;
  json: boolean;
  /** Instead of rows: what reads examine with 10,000 and with 1,000,000 invoices. */
  scale: boolean;
  /** Folder for CPU profiles of the API and the worker, or null. */
  profile: string | null;
}

/** Reads the command line. Ends the process with a message for an option that is unknown or has no usable value. */
export function readOptions(rowNames: readonly string[]): Options {
  const given = new Command('npm run bench --')
    .addOption(new Option('--only <name...>', 'only these rows').choices(rowNames))
    .option('--rounds <n>', 'measurements of each side, in turns (5)', positiveInteger)
    .option('--seconds <n>', 'of one measurement (3)', positiveInteger)
    .option('--quick', 'rounds of 1 second, three of them, and no watch over memory')
    .option('--scale', 'instead: the rows that reads examine at 10,000 and at 1,000,000 invoices (takes minutes)')
    .option('--json', 'the result as JSON on stdout')
    .option('--profile <folder>', 'CPU profiles of the API and the worker')
    .parse()
    .opts<Partial<Options>>();
  const { quick = false } = given;
  const defaults = {
    only: [],
    rounds: quick ? 3 : 5,
    seconds: quick ? 1 : 3,
    scale: false,
    json: false,
    profile: null,
  };
  return { ...defaults, quick, ...given };
}
