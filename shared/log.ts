import pino from 'pino';

export type Logger = pino.Logger;

/** JSON lines on stdout; secrets that could reach a log are redacted by path. */
export function createLogger(level: string, name: string): Logger {
  return pino({
    name,
    level,
    redact: ['*.authorization', '*.token', '*.password', '*.secretKey', 'headers.authorization'],
    timestamp: pino.stdTimeFunctions.isoTime,
  });
}
