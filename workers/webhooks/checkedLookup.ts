import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';

/** What a look-up of a name has found. */
export interface Answer {
  readonly addresses: readonly LookupAddress[];
  /** What it took to read, in milliseconds of the thread that did. */
  readonly costMs: number;
  /** The failure, such as `ENOTFOUND`, when there are no addresses. */
  readonly code?: string | undefined;
}

/** Looks a name up. @throws an error with the code of the failure, if the answer does not have it. */
export type Resolve = (hostname: string) => Promise<Answer>;

/** Tests whether requests may go to an IP address. */
export type AddressCheck = (ip: string) => boolean;

/** The URL's host has only addresses that requests must not go to. */
export class AddressNotAllowed extends Error {
  readonly code = 'ADDRESS_NOT_ALLOWED';

  constructor(host: string) {
    super(`${host} is not an address of the public internet`);
    this.name = 'AddressNotAllowed';
  }
}

/** Looks a name up as all programs of the machine do, `/etc/hosts` included. */
export const resolveAnyName: Resolve = async (hostname) => ({
  addresses: await lookup(hostname, { all: true }),
  costMs: 0,
});

/**
 * Addresses of a name that are used of each family. A name server may return thousands: to check and try them takes the event loop 15 to
 * 50 ms.
 */
export const MOST_OF_FAMILY = 8;

/**
 * Returns the look-up of a connection. It returns only addresses that the check allows, and the connection goes to one of these, even if
 * the name has another address by then. It checks the first eight of each family.
 */
export function checkedLookup(
  resolve: (hostname: string) => Promise<readonly LookupAddress[]>,
  isAllowed: AddressCheck,
): LookupFunction {
  return (hostname, { all }, callback) => {
    resolve(hostname).then(
      (found) => {
        const seen = { 4: 0, 6: 0 };
        const few = found.filter(({ family }) => ++seen[family as 4 | 6] <= MOST_OF_FAMILY);
        const addresses = few.filter(({ address }) => isAllowed(address));
        const [first] = addresses;
        if (first === undefined) return callback(new AddressNotAllowed(hostname), []);
        if (all) return callback(null, addresses);
        return callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, []),
    );
  };
}
