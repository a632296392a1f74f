import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/** The secret kept in the file `path` (mode 0600), made on the first call: 48 hex digits. */
export function keptSecret(path: string): string {
  if (!existsSync(path)) writeFileSync(path, `${randomBytes(24).toString('hex')}\n`, { mode: 0o600 });
  return readFileSync(path, 'utf8').trim();
}
