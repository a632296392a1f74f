import { closeSync, existsSync, openSync, renameSync, statSync, writeSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { createInterface } from 'node:readline';

const rotateAtBytes = 20 * 1024 * 1024;
const warning = 40;

/** The log of one part: everything goes to its file, what needs attention to the console too. */
export interface PartLog {
  /** Takes every line of this stream until it ends. `plain` says what a line that is not from the logger is. */
  follow(stream: Readable, plain: 'detail' | 'problem'): void;
  /** The last lines, for a message about the part's end. */
  lastLines(): string;
  close(): void;
}

/** Opens the log file, appending; a file over 20 MiB is put aside as `.1` first. */
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

/** A log line's level and message when it is a warning or worse. */
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

/** Undefined for a line that was cut, as by a crash in its middle. */
function parseEntry(line: string): { msg?: string; err?: { message?: string } } | undefined {
  try {
    return JSON.parse(line) as { msg?: string; err?: { message?: string } };
  } catch {
    return undefined;
  }
}
