import type { LookupAddress } from 'node:dns';
import { lookup, Resolver } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';

/** Returns the addresses of a name. @throws an error with the code of the failure, such as `ENOTFOUND`. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

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

/** The time-out of one query to a name server. It is retried once. */
const QUERY_MS = 2_000;

/**
 * Asks the name servers. The system's own look-up would occupy one of two threads that all look-ups of the process share, so a name
 * whose server does not respond would hold up the others for seconds.
 */
export const resolvePublicName: Resolve = async (hostname) => {
  // A new one reads which name servers the machine has now.
  const resolver = new Resolver({ timeout: QUERY_MS, tries: 2 });
  const [six, four] = await Promise.allSettled([resolver.resolve6(hostname), resolver.resolve4(hostname)]);
  if (six.status === 'rejected' && four.status === 'rejected') throw four.reason;
  return [
    ...(six.status === 'fulfilled' ? six.value.map((address) => ({ address, family: 6 })) : []),
    ...(four.status === 'fulfilled' ? four.value.map((address) => ({ address, family: 4 })) : []),
  ];
};

/** Looks a name up as all programs of the machine do, `/etc/hosts` included. */
export const resolveAnyName: Resolve = (hostname) => lookup(hostname, { all: true });

/**
 * Addresses of a name that are used of each family. A name server may return thousands: to check and try them takes the event loop 15 to
 * 50 ms.
 */
const MOST_OF_FAMILY = 8;

/**
 * Returns the look-up of a connection. It returns only addresses that the check allows, and the connection goes to one of these, even if
 * the name has another address by then. It checks the first eight of each family.
 */
export function checkedLookup(resolve: Resolve, isAllowed: AddressCheck): LookupFunction {
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
