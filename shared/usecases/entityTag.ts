import { PreconditionFailed } from '../errors';
import { matchesETag } from './matchesETag';

/** The strong entity tag of a record: `updatedAt` grows with every accepted change (RFC 9110, 8.8.3). */
export function entityTag(updatedAt: string | Date): string {
  const moment = typeof updatedAt === 'string' ? new Date(`${updatedAt.replace(' ', 'T')}Z`) : updatedAt;
  return `"${moment.getTime().toString(36)}"`;
}

/** @throws {PreconditionFailed} when `ifMatch` (the header's value) is given and names another version. */
export function checkVersion(updatedAt: Date, ifMatch: string | null): void {
  if (ifMatch !== null && !matchesETag(ifMatch, entityTag(updatedAt))) throw new PreconditionFailed();
}
