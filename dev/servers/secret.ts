import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/** The secret kept in the file `path` (mode 0600), made on the first call: 48 hex digits unless `make` is given. */
export function keptSecret(path: string, make = newPassword): string {
  if (!existsSync(path)) writeFileSync(path, `${make()}\n`, { mode: 0o600 });
  return readFileSync(path, 'utf8').trim();
}

/** Makes a key for `SECRETS_KEY`. */
export const newSecretsKey = (): string => randomBytes(32).toString('base64');

function newPassword(): string {
  return randomBytes(24).toString('hex');
}
