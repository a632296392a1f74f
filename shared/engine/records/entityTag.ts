import { fromSqlTime } from '../db';
import { PreconditionFailed } from '../errors';
import { matchesETag } from './matchesETag';

/**
 * The strong entity tag of what is shown, from the `updatedAt` of every record in it, each of which grows with every accepted
 * change (RFC 9110, 8.8.3).
 */
export function entityTag(...updatedAt: readonly (string | Date)[]): string {
  const moments = updatedAt.map((moment) => (typeof moment === 'string' ? fromSqlTime(moment) : moment));
  return `"${moments.map((moment) => moment.getTime().toString(36)).join('-')}"`;
}

/** @throws {PreconditionFailed} when `ifMatch` (the header's value) is given and names another version. */
export function checkVersion(updatedAt: Date, ifMatch: string | null): void {
  if (ifMatch !== null && !matchesETag(ifMatch, entityTag(updatedAt))) throw new PreconditionFailed();
}
