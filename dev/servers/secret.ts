import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/**
 * Returns the secret in the file `path` (mode 0600), which the first call creates: 48 hex digits unless `make` is
 * given.
 */
export function keptSecret(path: string, make = newPassword): string {
  if (!existsSync(path)) writeFileSync(path, `${make()}\n`, { mode: 0o600 });
  return readFileSync(path, 'utf8').trim();
}

/** Returns a new key for `SECRETS_KEY`. */
export const newSecretsKey = (): string => randomBytes(32).toString('base64');

function newPassword(): string {
  return randomBytes(24).toString('hex');
}
