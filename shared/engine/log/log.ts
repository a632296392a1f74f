import { AsyncLocalStorage } from 'node:async_hooks';
import pino from 'pino';
import { loggedError } from './logError';
import { redactLines } from './redactLines';

export type Logger = pino.Logger;

export interface LoggerOptions {
  /** Texts that never appear in a line: {@link Config.secrets}. */
  secrets?: readonly string[];
  /** Where the lines go; stdout by default. */
  destination?: pino.DestinationStream;
}

const fieldsInForce = new AsyncLocalStorage<object>();
let fieldsOfProcess: () => object | null = () => null;

/** JSON lines. Of an error only {@link loggedError}; secrets and e-mail addresses are redacted ({@link redactLines}). */
export function createLogger(level: string, name: string, { secrets = [], destination }: LoggerOptions = {}): Logger {
  const options: pino.LoggerOptions = {
    name,
    level,
    serializers: { err: loggedError },
    timestamp: pino.stdTimeFunctions.isoTime,
    mixin: () => ({ ...fieldsInForce.getStore(), ...fieldsOfProcess() }),
    hooks: { streamWrite: redactLines(secrets) },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}

/** Adds the fields that `fields` returns at that time to every line that this process logs from now on. */
export function logAlways(fields: () => object | null): void {
  fieldsOfProcess = fields;
}

/** Adds fields to every line that is logged by `work` and by what it starts. A field of a line itself takes precedence. */
export function withLogFields<T>(fields: object, work: () => T): T {
  return fieldsInForce.run({ ...fieldsInForce.getStore(), ...fields }, work);
}
