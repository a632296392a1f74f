import { readOptions } from '../dev/readOptions';

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

const usage = `npm run bench -- [options]
  --only <name>      one row (may be given more than once)
  --rounds <n>       measurements of each side, in turns (5)
  --seconds <n>      of one measurement (3)
  --quick            rounds of 1 second, three of them, and no watch over memory
  --scale            instead: the rows that reads examine with 10,000 and with 1,000,000 invoices (takes minutes)
  --json             the result as JSON on stdout
  --profile <folder> CPU profiles of the API and the worker`;

/** @throws {Error} with {@link usage} for an option that is unknown or has no usable value. */
export function parseOptions(args: readonly string[], rowNames: readonly string[]): Options {
  const { values, whole, rows } = readOptions(args, accepted, usage);
  const quick = values.quick ?? false;
  return {
    only: rows('only', values.only ?? [], rowNames),
    rounds: whole('rounds', values.rounds ?? (quick ? '3' : '5'), 1, 100),
    seconds: whole('seconds', values.seconds ?? (quick ? '1' : '3'), 1, 30),
    quick,
    json: values.json ?? false,
    scale: values.scale ?? false,
    profile: values.profile ?? null,
  };
}

const accepted = {
  only: { type: 'string', multiple: true },
  rounds: { type: 'string' },
  seconds: { type: 'string' },
  quick: { type: 'boolean' },
  json: { type: 'boolean' },
  scale: { type: 'boolean' },
  profile: { type: 'string' },
} as const;
