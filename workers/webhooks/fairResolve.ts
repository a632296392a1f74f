import type { LookupAddress } from 'node:dns';
import { setTimeout as sleep } from 'node:timers/promises';
import { pauseAfterMs, Turns } from '../../shared/engine/fair';
import type { Resolve } from './checkedLookup';

/** A look-up waits no longer than it may take itself: two servers, two seconds, twice. */
const LONGEST_WAIT_MS = 8_000;
/** Milliseconds that a usual answer takes to read while the machine is busy. Costly ones take 20 to 90. */
const USUAL_MS = 10;
/**
 * Returns a look-up by company. The requests of a company to one name share a look-up, and few of its names are looked up at the same time,
 * so a name server that is silent holds up its own company only. After an answer that was costly to read, the company's next look-up waits.
 * @param atOnce look-ups of one company at the same time
 * @throws the errors of `resolve`; one with the code `ETIMEOUT` when the company's other look-ups take too long.
 */
export function fairResolve(
  resolve: Resolve,
  atOnce: number,
): (companyId: number, hostname: string) => Promise<readonly LookupAddress[]> {
  const turns = new Turns(atOnce, LONGEST_WAIT_MS, () => failure('ETIMEOUT'));
  const pending = new Map<string, Promise<readonly LookupAddress[]>>();
  const lookUp = async (hostname: string): Promise<readonly LookupAddress[]> => {
    const { addresses, costMs, code } = await resolve(hostname);
    const pauseMs = pauseAfterMs(costMs - USUAL_MS);
    if (pauseMs > 0) await sleep(pauseMs, undefined, { ref: false });
    if (addresses.length === 0 && code !== undefined) throw failure(code);
    return addresses;
  };
  return (companyId, hostname) => {
    const key = `${companyId} ${hostname}`;
    const shared = pending.get(key);
    if (shared !== undefined) return shared;
    const found = turns.run(companyId, () => lookUp(hostname)).finally(() => pending.delete(key));
    pending.set(key, found);
    return found;
  };
}

const failure = (code: string): Error => Object.assign(new Error('the name could not be looked up'), { code });
