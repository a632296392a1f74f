import { parseArgs, type ParseArgsConfig } from 'node:util';

/** The usage of a command, asked for with `--help`. */
export class HelpRequested extends Error {}

/**
 * Reads the options of a command, and checks their values with the returned functions.
 * @throws {HelpRequested} for `--help`.
 * @throws {Error} with the usage for an option that is unknown; the functions throw one for a value that cannot be used.
 */
export function readOptions<T extends NonNullable<ParseArgsConfig['options']>>(
  args: readonly string[],
  options: T,
  usage: string,
) {
  if (args.includes('--help')) throw new HelpRequested(usage);
  const fail = (problem: string, cause?: unknown): never => {
    throw new Error(`${problem}\n\n${usage}`, { cause });
  };
  const read = () => {
    try {
      return parseArgs({ args: [...args], options }).values;
    } catch (error) {
      return fail((error as Error).message, error);
    }
  };
  return {
    values: read(),
    /** The value of a number's option. */
    whole: (name: string, text: string, least: number, most: number): number => {
      const value = Number(text);
      if (Number.isInteger(value) && value >= least && value <= most) return value;
      return fail(`--${name} ${text}: expected a whole number from ${least} to ${most}`);
    },
    /** The values of an option that names rows. */
    rows: (name: string, values: readonly string[], known: readonly string[]): readonly string[] => {
      const unknown = values.find((value) => !known.includes(value));
      return unknown === undefined ? values : fail(`--${name} ${unknown}: expected one of ${known.join(', ')}`);
    },
  };
}
