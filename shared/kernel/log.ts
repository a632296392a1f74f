import pino from 'pino';
import { loggedError } from './logError';

export type Logger = pino.Logger;

/** JSON lines on stdout; of an error only {@link loggedError}, and secrets that could reach a log are redacted by path. */
export function createLogger(level: string, name: string, destination?: pino.DestinationStream): Logger {
  const options = {
    name,
    level,
    redact: ['*.authorization', '*.token', '*.password', '*.secretKey', 'headers.authorization'],
    serializers: { err: loggedError },
    timestamp: pino.stdTimeFunctions.isoTime,
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}
