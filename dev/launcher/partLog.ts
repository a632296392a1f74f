import { closeSync, existsSync, openSync, renameSync, statSync, writeSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { createInterface } from 'node:readline';

const rotateAtBytes = 20 * 1024 * 1024;
const warning = 40;

/** The log of one part: all lines go to its file, warnings and errors also to the console. */
export interface PartLog {
  /** Logs the lines of this stream. `plain` is the severity of lines that the logger has not written. */
  follow(stream: Readable, plain: 'detail' | 'problem'): void;
  /** Returns the last 20 lines. */
  lastLines(): string;
  close(): void;
}

/** Opens the log file for appending; renames a file over 20 MiB to `.1` first. */
export function openPartLog(name: string, path: string, show: (line: string) => void): PartLog {
  if (existsSync(path) && statSync(path).size > rotateAtBytes) renameSync(path, `${path}.1`);
  const file = openSync(path, 'a', 0o600);
  const recent: string[] = [];
  return {
    follow(stream, plain) {
      createInterface({ input: stream }).on('line', (line) => {
        writeSync(file, `${line}\n`);
        recent.push(line);
        if (recent.length > 20) recent.shift();
        const shown = worthShowing(line, plain);
        if (shown !== undefined) show(`[${name}] ${shown}`);
      });
    },
    lastLines: () => recent.join('\n'),
    close: () => closeSync(file),
  };
}

/** Returns the level and message of a log line that is a warning or worse. */
export function worthShowing(line: string, plain: 'detail' | 'problem'): string | undefined {
  // Not parsed: under load there are thousands a second, and nearly all are below a warning.
  const level = /^\{"level":(\d+)/.exec(line)?.[1];
  if (level === undefined) return plain === 'problem' && line.trim() !== '' ? line : undefined;
  if (Number(level) < warning) return undefined;
  const entry = parseEntry(line);
  if (entry === undefined) return line;
  const { msg, err } = entry;
  const why = err?.message !== undefined && err.message !== msg ? ` (${err.message})` : '';
  return `${Number(level) > warning ? 'error' : 'warning'}: ${msg ?? ''}${why}`;
}

/** Returns undefined for an incomplete line, as after a crash. */
function parseEntry(line: string): { msg?: string; err?: { message?: string } } | undefined {
  try {
    return JSON.parse(line) as { msg?: string; err?: { message?: string } };
  } catch {
    return undefined;
  }
}
