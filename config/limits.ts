/** Bounds of one API process. They keep one caller from taking what all callers need. */
export interface LimitsConfig {
  /** Bytes of JSON bodies that are held in memory and not parsed yet, over all connections. */
  readonly unfinishedBodyBytes: number;
  /** Bytes of uploads that are on the process's disk, over all connections. */
  readonly uploadBytes: number;
  /** Bytes of responses that are held in memory, over all connections. */
  readonly responseBytes: number;
  /** Bytes a second that one company sends in bodies and uploads, and takes in large lists; faster ones are slowed down. */
  readonly bytesPerSecond: number;
  /** Requests of one company that run at the same time; further ones wait in line. */
  readonly requestsPerCompany: number;
  /** Lists of one company that run at the same time and may read all of its records: with `search`, sorted, or far from the front. */
  readonly scansPerCompany: number;
  /** How long a request waits in line before it is refused. */
  readonly lineWaitMs: number;
  /** Open connections; a further one takes the place of the one that has been idle longest. */
  readonly connections: number;
}

export interface LimitVariables {
  MAX_UNFINISHED_BODIES_MB: number;
  MAX_UPLOADS_MB: number;
  MAX_RESPONSES_MB: number;
  MAX_RATE_MB: number;
  MAX_REQUESTS_PER_COMPANY: number;
  MAX_SCANS_PER_COMPANY: number;
  MAX_LINE_WAIT_MS: number;
  MAX_CONNECTIONS: number;
}

const MIB = 1024 * 1024;

/** Schemas of the variables. One company may take half of the bodies and of the uploads, so each half holds the largest one. */
export const limitVariables = {
  MAX_UNFINISHED_BODIES_MB: {
    type: 'integer',
    default: 64,
    minimum: 2,
    maximum: 1_000_000,
    description: 'MiB of one API process, for example 64',
  },
  MAX_UPLOADS_MB: {
    type: 'integer',
    default: 512,
    minimum: 32,
    maximum: 1_000_000,
    description: 'MiB on the disk of one API process, for example 512',
  },
  MAX_RESPONSES_MB: {
    type: 'integer',
    default: 64,
    minimum: 16,
    maximum: 1_000_000,
    description: 'MiB of one API process, 16 or more, for example 64',
  },
  MAX_RATE_MB: {
    type: 'integer',
    default: 8,
    minimum: 1,
    maximum: 1_000_000,
    description: 'MiB a second of one company at one API process, for example 8',
  },
  MAX_REQUESTS_PER_COMPANY: {
    type: 'integer',
    default: 16,
    minimum: 1,
    maximum: 100_000,
    description: 'requests of one company at the same time, for example 16',
  },
  MAX_SCANS_PER_COMPANY: {
    type: 'integer',
    default: 2,
    minimum: 1,
    maximum: 100_000,
    description: 'searches and sorted lists of one company at the same time, for example 2',
  },
  MAX_LINE_WAIT_MS: {
    type: 'integer',
    default: 30_000,
    minimum: 1,
    maximum: 600_000,
    description: 'milliseconds, for example 30000',
  },
  MAX_CONNECTIONS: {
    type: 'integer',
    default: 8_000,
    minimum: 10,
    maximum: 1_000_000,
    description: 'connections of one API process, for example 8000',
  },
} as const;

export function limitsConfig(v: LimitVariables): LimitsConfig {
  return {
    unfinishedBodyBytes: v.MAX_UNFINISHED_BODIES_MB * MIB,
    uploadBytes: v.MAX_UPLOADS_MB * MIB,
    responseBytes: v.MAX_RESPONSES_MB * MIB,
    bytesPerSecond: v.MAX_RATE_MB * MIB,
    requestsPerCompany: v.MAX_REQUESTS_PER_COMPANY,
    scansPerCompany: v.MAX_SCANS_PER_COMPANY,
    lineWaitMs: v.MAX_LINE_WAIT_MS,
    connections: v.MAX_CONNECTIONS,
  };
}
