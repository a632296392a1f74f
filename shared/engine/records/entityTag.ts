import { fromSqlTime } from '../db';
import { PreconditionFailed } from '../errors';

/**
 * Returns the strong entity tag of a response (RFC 9110, 8.8.3), made of the `updatedAt` of every record in it. Each grows with every
 * accepted change.
 */
export function entityTag(...updatedAt: readonly (string | Date)[]): string {
  const times = updatedAt.map((time) => (typeof time === 'string' ? fromSqlTime(time) : time));
  return `"${times.map((time) => time.getTime().toString(36)).join('-')}"`;
}

/** @throws {PreconditionFailed} when `ifMatch` (the header's value; null: none) names another version than `etag`. */
export function checkVersion(ifMatch: string | null, etag: string): void {
  if (ifMatch !== null && !matchesETag(ifMatch, etag)) throw new PreconditionFailed();
}

/** Tests `If-Match` (RFC 9110, 13.1.1): `*` or a list of strong entity tags that contains `etag`. Weak ones never match. */
export function matchesETag(ifMatch: string, etag: string): boolean {
  const tags = ifMatch.split(',').map((tag) => tag.trim());
  return tags.includes('*') || tags.includes(etag);
}
