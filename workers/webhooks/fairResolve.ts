import type { LookupAddress } from 'node:dns';
import { setTimeout as sleep } from 'node:timers/promises';
import { pauseAfterMs, Turns } from '../../shared/engine/fair';
import type { Resolve } from './checkedLookup';

/** Look-ups of one company at the same time. */
const AT_ONCE = 3;
/** A look-up waits no longer than it may take itself: two servers, two seconds, twice. */
const LONGEST_WAIT_MS = 8_000;
/**
 * What an answer with so many addresses takes the event loop, in milliseconds: c-ares appends each at the end of a list. A name server that
 * answers by TCP sends up to 4,000 of one family, which take 14 ms and more.
 */
const costOf = (addresses: number): number => 2e-6 * addresses ** 2;

/**
 * Returns a look-up by company. The requests of a company to one name share a look-up, and few of its names are looked up at the same time:
 * a name server that answers with thousands of addresses blocks the event loop, and one that is silent holds up its own company only. After a
 * costly answer the company's next look-up waits.
 * @throws the errors of `resolve`; one with the code `ETIMEOUT` when the company's other look-ups take too long.
 */
export function fairResolve(resolve: Resolve): (companyId: number, hostname: string) => ReturnType<Resolve> {
  const late = (): Error => Object.assign(new Error('other names took too long'), { code: 'ETIMEOUT' });
  const turns = new Turns(AT_ONCE, LONGEST_WAIT_MS, late);
  const pending = new Map<string, Promise<readonly LookupAddress[]>>();
  const lookUp = async (hostname: string): Promise<readonly LookupAddress[]> => {
    const found = await resolve(hostname);
    const pauseMs = pauseAfterMs(costOf(found.length));
    if (pauseMs > 0) await sleep(pauseMs, undefined, { ref: false });
    return found;
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
