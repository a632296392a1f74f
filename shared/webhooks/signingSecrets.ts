import { randomBytes } from 'node:crypto';
import type { SecretBox } from '../engine/secrets';

/** The secrets of an endpoint, as they are stored. */
export interface SealedSecrets {
  secret: string;
  previousSecret: string | null;
  previousSecretUntil: Date | null;
}

/** The beginning of secrets of Standard Webhooks. */
const PREFIX = 'whsec_';
/** Standard Webhooks asks for 24 to 64 bytes. */
const SECRET_BYTES = 32;

/** Returns a new secret: `whsec_`, and 256 random bits in base64. */
export function newSigningSecret(): string {
  return `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`;
}

/**
 * Returns the secrets that sign deliveries to the endpoint at `now`: the current one, then the previous one until it ends.
 * @throws {SecretsUnavailable} when one cannot be decrypted.
 */
export function signingSecrets(
  box: SecretBox,
  { secret, previousSecret, previousSecretUntil }: SealedSecrets,
  now: Date,
): string[] {
  const current = box.open(secret);
  const isPreviousUsed = previousSecret !== null && previousSecretUntil !== null && now < previousSecretUntil;
  return isPreviousUsed ? [current, box.open(previousSecret)] : [current];
}
