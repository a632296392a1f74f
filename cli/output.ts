import type { CommanderError } from 'commander';
import { ConfigurationError } from '../config/env';
import { toDatabaseUnavailable } from '../shared/kernel/database/databaseErrors';
import { AppError, ValidationFailed } from '../shared/kernel/errors';

/** What a command does with its outcome; the exit code is 0 unless another is given. */
export type Output = (result: object, exitCode?: 0 | 1) => Promise<void>;

/** Prints a command's outcome and ends the process: nothing that is still open keeps a script waiting. */
export const answer: Output = (result, exitCode = 0) => print(process.stdout, result, exitCode);

/** Prints text for people in the place of an outcome, and ends the process. */
export const answerText = (text: string, exitCode: 0 | 1): Promise<void> => write(process.stdout, text, exitCode);

/** Prints what went wrong, in the API's words where they exist, and ends the process with 1. */
export function fail(error: unknown): Promise<void> {
  return print(process.stderr, problemOf(error), 1);
}

/** Prints what is wrong with the command line and ends the process with 2. */
export function usageError(error: CommanderError): Promise<void> {
  const message = error.message === '(outputHelp)' ? 'a command is missing; see --help' : error.message;
  return print(process.stderr, { code: 'usage', message: message.replace(/^error: /, '') }, 2);
}

/** An error in the API's words where they exist. */
export function problemOf(error: unknown): object {
  if (error instanceof ValidationFailed) {
    return { code: error.code, message: error.message, errors: error.problems };
  }
  const known = error instanceof AppError ? error : toDatabaseUnavailable(error);
  if (known !== null) return { code: known.code, message: known.message };
  if (error instanceof ConfigurationError) return { code: 'configuration', message: error.message };
  return { code: 'internal_error', message: error instanceof Error ? error.message : String(error) };
}

function print(stream: NodeJS.WriteStream, value: object, exitCode: number): Promise<void> {
  return write(stream, JSON.stringify(value, null, 2), exitCode);
}

function write(stream: NodeJS.WriteStream, text: string, exitCode: number): Promise<void> {
  return new Promise(() => {
    stream.write(`${text}\n`, () => process.exit(exitCode));
  });
}
