import { hash, randomBytes } from 'node:crypto';

/** Recognisable in logs and by secret scanners. */
const PREFIX = 'inv_';

/** A new bearer token: 256 random bits. It is shown once; only {@link hashToken} of it is stored. */
export function newToken(): string {
  return `${PREFIX}${randomBytes(32).toString('base64url')}`;
}

/** SHA-256 in hex. A token has too many bits to be guessed, so a slow password hash would add nothing. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'hex');
}

/** Enough of a token to recognise it in a list. */
export function tokenHint(token: string): string {
  return token.length > 16 ? `${token.slice(0, 8)}…` : '…';
}
