import { createLogger, type Logger } from '../../shared/engine/log/log';

/** One line of a log. */
export interface LogLine extends Record<string, unknown> {
  msg: string;
}

/** A log of a test, with what was logged. */
export function collectLines(level = 'debug'): { log: Logger; lines: LogLine[] } {
  const lines: LogLine[] = [];
  const write = (line: string): void => void lines.push(JSON.parse(line) as LogLine);
  return { log: createLogger(level, 'test', { destination: { write } }), lines };
}
