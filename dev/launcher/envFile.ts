import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { parseEnv } from 'node:util';

/**
 * Writes `NAME=value` lines that a shell's `.` and Node's `--env-file` read alike. The file is readable by its owner
 * only and is replaced atomically. Undefined values are left out.
 */
export function writeEnvFile(path: string, values: Readonly<Record<string, string | number | undefined>>): void {
  const lines = Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${quoted(String(value))}\n`],
  );
  writeFileSync(`${path}.new`, lines.join(''), { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

/** Returns the variables of such a file; none when there is no file. */
export function readEnvFile(path: string): Record<string, string | undefined> {
  return existsSync(path) ? parseEnv(readFileSync(path, 'utf8')) : {};
}

function quoted(value: string): string {
  if (/^[\w.:/@%+,=-]*$/.test(value)) return value;
  if (/['\n]/.test(value)) throw new Error('a value with a quote or a line break cannot be kept in an env file');
  return `'${value}'`;
}
