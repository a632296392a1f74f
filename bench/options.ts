import { parseArgs } from 'node:util';

export interface Options {
  /** Names of rows; empty means all. */
  only: readonly string[];
  rounds: number;
  /** Of one measurement: each row takes `rounds` of them on each side. */
  seconds: number;
  /** Short measurements, and no watch over memory: for a look, not for a claim. */
  quick: boolean;
  json: boolean;
  /** Folder for CPU profiles of the API and the worker, or null. */
  profile: string | null;
}

const usage = `npm run bench -- [options]
  --only <name>      one row (may be given more than once)
  --rounds <n>       measurements of each side, in turns (5)
  --seconds <n>      of one measurement (3)
  --quick            rounds of 1 second, three of them, and no watch over memory
  --json             the result as JSON on stdout
  --profile <folder> CPU profiles of the API and the worker`;

/** @throws {Error} with {@link usage} for an option that is unknown or has no usable value. */
export function parseOptions(args: readonly string[], rowNames: readonly string[]): Options {
  const { values } = read(args);
  const only = values.only ?? [];
  const unknown = only.find((name) => !rowNames.includes(name));
  if (unknown !== undefined) throw new Error(`--only ${unknown}: expected one of ${rowNames.join(', ')}\n\n${usage}`);
  const quick = values.quick ?? false;
  return {
    only,
    rounds: positive('rounds', values.rounds ?? (quick ? '3' : '5'), 100),
    seconds: positive('seconds', values.seconds ?? (quick ? '1' : '3'), 30),
    quick,
    json: values.json ?? false,
    profile: values.profile ?? null,
  };
}

function read(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        only: { type: 'string', multiple: true },
        rounds: { type: 'string' },
        seconds: { type: 'string' },
        quick: { type: 'boolean' },
        json: { type: 'boolean' },
        profile: { type: 'string' },
      },
    });
  } catch (error) {
    throw new Error(`${(error as Error).message}\n\n${usage}`, { cause: error });
  }
}

function positive(name: string, text: string, most: number): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= most) return value;
  throw new Error(`--${name} ${text}: expected a whole number from 1 to ${most}\n\n${usage}`);
}
