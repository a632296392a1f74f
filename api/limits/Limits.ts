import type { Config } from '../../config/env';
import { Pace } from './Pace';
import { FairBudget } from './FairBudget';
import { MinimumRate } from './MinimumRate';
import { Places } from './Places';
import { Presence } from './Presence';

/** Bytes a second that a body has to bring within every {@link STALL_MS}. */
const MIN_BODY_RATE = 1024;
const STALL_MS = 5_000;
/** A company that has sent nothing for so long has this much at full speed. */
const SECONDS_OF_BURST = 2;
/** Of one company; the connections of the process are the bound over all companies. */
const MAX_WAITING = 5_000;

/** Of one company while others have requests as well: about a third of what two cores render. */
const RENDERS_PER_SECOND = 25;

/** A company has a quarter of its places while others have requests as well: two of them leave the processor for a third. */
const PARTS_AMONG_OTHERS = 4;

/** What the requests of one API process share, so that none takes it all. */
export interface Limits {
  /** Memory: JSON bodies until they are parsed. */
  readonly bodies: FairBudget;
  /** Disk: uploads until they are answered. */
  readonly uploads: FairBudget;
  readonly bodyRate: MinimumRate;
  /** Of bodies and uploads. */
  readonly bodyPace: Pace;
  /** Of lists that are read record by record. */
  readonly listPace: Pace;
  readonly places: Places;
  /** A list that MySQL cannot read from the front of an index takes one of these first: others wait for the same processors. */
  readonly scans: Places;
}

export function openLimits({ limits, databasePoolSize }: Config): Limits {
  // Some connections of the pool always remain for other companies.
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
