import type { CommanderError } from 'commander';
import { ConfigurationError } from '../config/ConfigurationError';
import { loadConfig } from '../config/env';
import { isOtherSchema, toDatabaseUnavailable } from '../shared/engine/db';
import { AppError, DatabaseUnavailable, ValidationFailed } from '../shared/engine/errors';
import { CliError } from './CliError';
import { connectionProblem } from './connectionProblem';
import { toText } from './toText';

/**
 * Ends a command with its outcome; the exit code is 0 by default. `columns` are the fields that a table on a terminal shows, where a record
 * has more than fit; `error.code` is the field `code` of `error`.
 */
export type Output = (result: object, exitCode?: 0 | 1, columns?: readonly string[]) => Promise<void>;

/**
 * Prints a command's outcome, as text on a terminal and else as JSON, and ends the process, so that no open connection keeps a script
 * waiting.
 */
export const output: Output = (result, exitCode = 0, columns) => print(process.stdout, result, exitCode, columns);

/** Prints text for people in the place of an outcome, and ends the process. */
export const outputText = (text: string, exitCode: 0 | 1): Promise<void> => write(process.stdout, text, exitCode);

/** Prints an error, as the API would if it knows the error, and ends the process with 1. */
export function fail(error: unknown): Promise<void> {
  return print(process.stderr, problemOf(error), 1);
}

/** Tests whether the stream is a terminal. */
export const isForPeople = (stream: NodeJS.WriteStream): boolean => stream.isTTY && !process.argv.includes(jsonOption);

/** The option of every command by which a terminal gets JSON as well. */
export const jsonOption = '--json';

/** Prints the problem of the command line and ends the process with 2. */
export function usageError(error: CommanderError): Promise<void> {
  const message = error.message === '(outputHelp)' ? 'a command is missing; see --help' : error.message;
  return print(process.stderr, { code: 'usage', message: message.replace(/^error: /, '') }, 2);
}

/** Returns an error as the API would show it. A problem of the database is shown in the server's words, which the API never shows. */
export function problemOf(error: unknown): object {
  if (error instanceof ValidationFailed) {
    return { code: error.code, message: error.message, errors: error.problems };
  }
  const known = error instanceof AppError ? error : toDatabaseUnavailable(error);
  if (known instanceof DatabaseUnavailable && known.reason === 'unavailable') {
    const { message, remedy } = connectionProblem(loadConfig().databaseUrl, known.cause);
    return { code: known.code, message: `the database server ${message}${remedy === null ? '' : `. ${remedy}`}` };
  }
  if (known !== null) return { code: known.code, message: known.message };
  if (isOtherSchema(error)) {
    return {
      code: 'schema_outdated',
      message: `The schema is missing or older: ${messageOf(error)}. Run \`migrate up\`.`,
    };
  }
  if (error instanceof CliError) return { code: error.code, message: error.message };
  if (error instanceof ConfigurationError) return { code: 'configuration', message: error.message };
  return { code: 'internal_error', message: messageOf(error) };
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function print(
  stream: NodeJS.WriteStream,
  value: object,
  exitCode: number,
  columns?: readonly string[],
): Promise<void> {
  const text = isForPeople(stream) ? toText(value, columns, widthOf(stream)).trimEnd() : JSON.stringify(value, null, 2);
  return write(stream, text, exitCode);
}

/** A pseudo-terminal of unknown size reports 0 columns. */
const widthOf = ({ columns }: NodeJS.WriteStream): number | undefined => (columns > 0 ? columns : undefined);

function write(stream: NodeJS.WriteStream, text: string, exitCode: number): Promise<void> {
  return new Promise(() => {
    stream.write(`${text}\n`, () => process.exit(exitCode));
  });
}
