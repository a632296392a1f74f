import type { Config } from '../../config/env';
import { FairBudget } from './FairBudget';
import { MinimumRate } from './MinimumRate';
import { Places } from './Places';

/** Bytes a second that a body has to bring within every {@link STALL_MS}. */
const MIN_BODY_RATE = 1024;
const STALL_MS = 5_000;
/** Of one company; the connections of the process are the bound over all companies. */
const MAX_WAITING = 5_000;

/** What the requests of one API process share, so that none takes it all. */
export interface Limits {
  /** Memory: JSON bodies until they are parsed. */
  readonly bodies: FairBudget;
  /** Disk: uploads until they are answered. */
  readonly uploads: FairBudget;
  readonly bodyRate: MinimumRate;
  readonly places: Places;
  /** A search takes one of these first: MySQL computes it, and the requests of others wait for the same processors. */
  readonly searches: Places;
}

export function openLimits({ limits, databasePoolSize }: Config): Limits {
  const placesOf = (places: number): Places =>
    new Places({ places: Math.max(1, places), maxWaiting: MAX_WAITING, maxWaitMs: limits.lineWaitMs });
  return {
    bodies: new FairBudget(limits.unfinishedBodyBytes),
    uploads: new FairBudget(limits.uploadBytes),
    bodyRate: new MinimumRate(MIN_BODY_RATE, STALL_MS),
    // Some connections of the pool always remain for other companies.
    places: placesOf(Math.min(limits.requestsPerCompany, Math.floor(databasePoolSize * 0.75))),
    searches: placesOf(limits.searchesPerCompany),
  };
}
