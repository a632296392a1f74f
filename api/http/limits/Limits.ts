import type { Config } from '../../../config/env';
import { Pace } from './Pace';
import { FairBudget } from './FairBudget';
import { MinimumRate } from './MinimumRate';
import { Places } from './Places';
import { Presence } from './Presence';

/** The minimum rate of a body in bytes per second, measured over every {@link STALL_MS}. */
const MIN_BODY_RATE = 1024;
const STALL_MS = 5_000;
/** A company that was idle for this long may transfer this many seconds' worth of bytes at full speed. */
const SECONDS_OF_BURST = 2;
/** The waiting requests of one company. The connections of the process bound those of all companies. */
const MAX_WAITING = 5_000;

/** The renders of one company while others have requests as well: about a third of what two cores render. */
const RENDERS_PER_SECOND = 25;

/**
 * While others have requests as well, a company has this part of its places, so that two busy companies leave CPU time for
 * a third.
 */
const PARTS_AMONG_OTHERS = 4;

/** The limits that all requests of one API process share, so that no company uses up the process. */
export interface Limits {
  /** Memory: JSON bodies until they are parsed. */
  readonly bodies: FairBudget;
  /** Disk: uploads until their response. */
  readonly uploads: FairBudget;
  readonly bodyRate: MinimumRate;
  /** The pace of bodies and uploads. */
  readonly bodyPace: Pace;
  /** The pace of lists that are read record by record. */
  readonly listPace: Pace;
  readonly places: Places;
  /** Extra places for lists that MySQL cannot read from the front of an index, because they use much of its CPU time. */
  readonly scans: Places;
}

export function openLimits({ limits, databasePoolSize }: Config): Limits {
  // Leaves some connections of the pool to other companies.
  const most = Math.max(1, Math.floor(databasePoolSize * 0.8));
  const presence = new Presence();
  const renderPace = new Pace(RENDERS_PER_SECOND, RENDERS_PER_SECOND);
  const placesOf = (places: number): Places => {
    const placesAmongOthers = Math.min(Math.ceil(places / PARTS_AMONG_OTHERS), most);
    const options = { maxWaiting: MAX_WAITING, maxWaitMs: limits.lineWaitMs, renderPace };
    return new Places({ ...options, places: Math.min(places, most), placesAmongOthers }, presence);
  };
  const pace = (): Pace => new Pace(limits.bytesPerSecond, SECONDS_OF_BURST * limits.bytesPerSecond);
  return {
    bodies: new FairBudget(limits.unfinishedBodyBytes),
    uploads: new FairBudget(limits.uploadBytes),
    bodyRate: new MinimumRate(MIN_BODY_RATE, STALL_MS),
    bodyPace: pace(),
    listPace: pace(),
    places: placesOf(limits.requestsPerCompany),
    scans: placesOf(limits.scansPerCompany),
  };
}
