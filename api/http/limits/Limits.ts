import type { Config } from '../../../config/env';
import { Overloaded, RequestAborted, TooManyRequests } from '../../../shared/engine/errors';
import { FairQueue, FairSlots, WorkMeter } from '../../../shared/engine/fair';
import { Exports } from './Exports';
import { type BodyPace, Pace } from './Pace';
import { FairBudget } from './FairBudget';
import { MinimumRate } from './MinimumRate';
import { PIECE_BYTES } from './OpenResponses';

/** The minimum rate of a body in bytes per second, measured over every {@link STALL_MS}. */
const MIN_BODY_RATE = 1024;
const STALL_MS = 5_000;
/** A company that was idle for this long may transfer this many seconds' worth of bytes at full speed. */
const SECONDS_OF_BURST = 2;
/** The waiting requests of one company. The connections of the process bound those of all companies. */
const MAX_WAITING = 5_000;

/**
 * Calls of the file store: fewer than a bucket's connections. A company that is alone has a fifth of them, and as many of its calls may wait
 * as its requests.
 */
const FILES = { what: 'files', slots: 256, places: 4 * MAX_WAITING, share: 1 / 4 };

/**
 * Measured milliseconds for each millisecond. Half of it is what one company has among others: half of the event loop, whose time
 * counts twice, or one processor of MySQL's machine.
 */
const CAPACITY = 2;

/**
 * What every request takes that no meter sees, in measured milliseconds: its head is parsed, its key is checked and its response is sent,
 * which took 0.25 ms of a processor, and those count twice.
 */
export const REQUEST_MS = 0.5;
/**
 * What a request takes that has no work to be measured, since it is refused or gets what is the same for everybody, in measured
 * milliseconds: no meter sees how its head is parsed, an error is logged and the response is sent. That took 0.2 to 0.9 ms of a processor,
 * which count twice, and twice again because it has no effect. The 600 kB of a page that all responses share took no more.
 */
export const UNMETERED_MS = 4;
/**
 * What receiving an upload takes in addition to its bytes, which have their pace, in measured milliseconds: streams, a folder and a
 * file took 3 ms of a processor, which count twice.
 */
export const UPLOAD_MS = 8;
/**
 * What receiving a chunk of a body takes, in measured milliseconds: the parser, the stream and its reader took 10 µs of a processor, those of
 * an upload 25 µs, which count twice. 16,384 of the smallest arrive in a second.
 */
export const CHUNK_MS = 0.05;
/**
 * What opening a file and sending 64 KiB of it take in addition to what is measured, in measured milliseconds: threads, streams and the
 * system's copies took 1 ms and 0.3 ms of a processor, which count twice.
 */
export const OPEN_FILE_MS = 2;
export const FILE_PIECE_MS = 0.6;
/** The same with compression in a thread, which takes up to 1 ms of a processor. */
const ZIPPED_PIECE_MS = 2.6;
/** Returns what sending so many bytes takes, in measured milliseconds. */
export const piecesMs = (bytes: number, isZipped = false): number =>
  Math.ceil(bytes / PIECE_BYTES) * (isZipped ? ZIPPED_PIECE_MS : FILE_PIECE_MS);

/** The limits that all requests of one API process share, so that no company uses up the process. */
export interface Limits {
  /** Memory: JSON bodies until they are parsed. */
  readonly bodies: FairBudget;
  /** Disk: uploads until their response. */
  readonly uploads: FairBudget;
  readonly bodyRate: MinimumRate;
  /** The pace of bodies and uploads. Called for each chunk. */
  readonly bodyPace: BodyPace;
  /** Event loop and MySQL, by what the requests of a company really took. */
  readonly requests: FairQueue;
  /** Calls of the file store, by how long they take. */
  readonly files: FairSlots;
  readonly exports: Exports;
}

export function openLimits({ limits, databasePoolSize }: Config): Limits {
  const slotsAlone = Math.min(limits.requestsPerCompany, Math.max(1, Math.floor(databasePoolSize * 0.8)));
  const requests = new FairQueue({
    // One for each connection: a company that is alone leaves some to the next one.
    slots: databasePoolSize,
    slotsAlone,
    slotsShared: Math.ceil(slotsAlone / 3),
    capacity: CAPACITY,
    maxWaiting: MAX_WAITING,
    longestWaitMs: limits.lineWaitMs,
    meter: () => new WorkMeter(),
    full: () => new TooManyRequests('too_many_requests', 'too many requests of this company are in progress', 1),
    late: () => new Overloaded('requests of this company'),
    left: () => new RequestAborted(),
  });
  const pace = new Pace(limits.bytesPerSecond, SECONDS_OF_BURST * limits.bytesPerSecond);
  return {
    bodies: new FairBudget(limits.unfinishedBodyBytes),
    uploads: new FairBudget(limits.uploadBytes),
    bodyRate: new MinimumRate(MIN_BODY_RATE, STALL_MS),
    bodyPace: {
      count: (flow, bytes, now) => {
        requests.chargeFor(flow, CHUNK_MS);
        return pace.count(flow, bytes, now);
      },
    },
    files: new FairSlots(FILES),
    exports: new Exports(),
    requests,
  };
}
