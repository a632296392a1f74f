import { mebibytes, whole } from './kinds';
import { readBy, type ValuesOf } from './variable';

const forApi = readBy('api');

/** Bounds of one API process. They keep one caller from taking what all callers need. */
export const limits = {
  /** Requests of one company that run at the same time; further ones wait in line. */
  requestsPerCompany: forApi(
    'MAX_REQUESTS_PER_COMPANY',
    whole(1, 100_000, 'requests of one company at the same time', 16),
    '16',
    'Requests of one company that run at the same time, but at most 80 % of `DATABASE_POOL_SIZE`. Further ones wait in line.',
  ),
  /** Lists of one company that run at the same time and may read all of its records: with `search`, sorted, or far from the front. */
  scansPerCompany: forApi(
    'MAX_SCANS_PER_COMPANY',
    whole(1, 100_000, 'searches and sorted lists of one company at the same time', 2),
    '2',
    'Searches and sorted lists of one company that run at the same time. Further ones wait in line.',
  ),
  /** Bytes a second that one company sends in bodies and uploads, and takes in large lists; faster ones are slowed down. */
  bytesPerSecond: forApi(
    'MAX_RATE_MB',
    mebibytes(1, 1_000_000, 'MiB a second of one company at one API process', 8),
    '8',
    'How fast one company may send bodies and uploads and read large lists. Faster transfers are slowed down, not refused.',
  ),
  /** How long a request waits in line before it is refused. */
  lineWaitMs: forApi(
    'MAX_LINE_WAIT_MS',
    whole(1, 600_000, 'milliseconds', 30_000),
    '30000',
    'How long a request waits in line. After that it gets 503 `overloaded`.',
  ),
  /** Bytes of JSON bodies that are held in memory and not parsed yet, over all connections. One company may take half. */
  unfinishedBodyBytes: forApi(
    'MAX_UNFINISHED_BODIES_MB',
    mebibytes(2, 1_000_000, 'MiB of one API process', 64),
    '64',
    'Memory for JSON bodies until they are parsed. One company gets half of it.',
  ),
  /** Bytes of uploads that are on the process's disk, over all connections. One company may take half. */
  uploadBytes: forApi(
    'MAX_UPLOADS_MB',
    mebibytes(32, 1_000_000, 'MiB on the disk of one API process', 512),
    '512',
    'Disk for uploads until their requests have a response. One company gets half of it.',
  ),
  /** Bytes of responses that are held in memory, over all connections. */
  responseBytes: forApi(
    'MAX_RESPONSES_MB',
    mebibytes(16, 1_000_000, 'MiB of one API process', 64),
    '64',
    'Memory for responses that their readers have not taken yet. One company gets half of it.',
  ),
  /** Open connections; a further one takes the place of the one that has been idle longest. */
  connections: forApi(
    'MAX_CONNECTIONS',
    whole(10, 1_000_000, 'connections of one API process', 8_000),
    '8000',
    'Open connections. One more closes the connection that has been idle longest.',
  ),
};

export type LimitsConfig = ValuesOf<typeof limits>;
