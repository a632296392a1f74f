import { AsyncLocalStorage } from 'node:async_hooks';
import pino from 'pino';
import { loggedError } from './logError';
import { redactLines } from './redactLines';
import { traceFields } from './trace';

export type Logger = pino.Logger;

export interface LoggerOptions {
  /** Texts that never appear in a line: {@link Config.secrets}. */
  secrets?: readonly string[];
  /** Where the lines go; stdout by default. */
  destination?: pino.DestinationStream;
}

const fieldsInForce = new AsyncLocalStorage<object>();

/** JSON lines. Of an error only {@link loggedError}; secrets and e-mail addresses are redacted ({@link redactLines}). */
export function createLogger(level: string, name: string, { secrets = [], destination }: LoggerOptions = {}): Logger {
  const options: pino.LoggerOptions = {
    name,
    level,
    serializers: { err: loggedError },
    timestamp: pino.stdTimeFunctions.isoTime,
    mixin: () => ({ ...fieldsInForce.getStore(), ...traceFields() }),
    hooks: { streamWrite: redactLines(secrets) },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}

/** Adds fields to every line that is logged by `work` and by what it starts. A field of a line itself takes precedence. */
export function withLogFields<T>(fields: object, work: () => T): T {
  return fieldsInForce.run({ ...fieldsInForce.getStore(), ...fields }, work);
}
