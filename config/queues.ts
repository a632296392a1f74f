/** How often and how long a failed job is retried. Delays grow by `factor` up to `maxDelayMs`, with jitter. */
export interface RetryPolicy extends Delays {
  readonly attempts: number;
}

export interface Delays {
  readonly firstDelayMs: number;
  readonly factor: number;
  readonly maxDelayMs: number;
}

/** Renders that take long wait in a queue of their own in Redis: however many there are, they do not take all slots of a worker. */
export const longRenderQueueName = 'pdf-long';

/**
 * Every queue: one for each kind of work, so that a slow PDF delays no e-mail and each can be scaled on its own. Work that must survive a
 * crash has rows in `jobs`. What has none is all there is in Redis: renders, which are repeated by whoever wants them, and requests for a
 * look into MySQL, which knows which webhook endpoint has something to be sent, and what is due in the calendar.
 */
export const queues = {
  email: {
    hasRows: true,
    costMs: 8,
    // About two days: a mail server that is unreachable for a weekend, or defers unknown senders, still gets its messages.
    // RFC 5321 (4.5.4.1) asks for quick retries first and rare ones later.
    retries: { attempts: 41, firstDelayMs: 1_000, factor: 3, maxDelayMs: 2 * 3_600_000 },
  },
  pdf: {
    hasRows: false,
    inRedis: ['pdf', longRenderQueueName],
    costMs: 6,
    retries: { attempts: 3, firstDelayMs: 200, factor: 2, maxDelayMs: 2_000 },
  },
  'payment-link': {
    hasRows: true,
    costMs: 6,
    retries: { attempts: 8, firstDelayMs: 500, factor: 3, maxDelayMs: 15 * 60_000 },
  },
  // A run imports for a second, then it is another company's turn; only an unreachable store or a killed worker fails one.
  import: {
    hasRows: true,
    costMs: 400,
    retries: { attempts: 20, firstDelayMs: 1_000, factor: 2, maxDelayMs: 10 * 60_000 },
  },
  // Of each request.
  webhook: { hasRows: false, inRedis: ['webhook'], costMs: 1 },
  schedule: { hasRows: false, inRedis: ['schedule'], costMs: 0 },
} as const satisfies Record<string, (Rows | NoRows) & Cost>;

interface Cost {
  /**
   * What a piece of its work costs a worker's own processor, in milliseconds, on the whole: companies share the worker by it. Only the
   * proportions count. A scan serves all companies.
   */
  readonly costMs: number;
}

interface Rows {
  readonly hasRows: true;
  readonly retries: RetryPolicy;
}

interface NoRows {
  readonly hasRows: false;
  /** The queues in Redis that hold its work. */
  readonly inRedis: readonly string[];
  readonly retries?: RetryPolicy;
}

type Queues = typeof queues;
export type QueueName = keyof Queues;
/** Those whose work has rows in `jobs`. */
export type JobQueueName = { [N in QueueName]: Queues[N]['hasRows'] extends true ? N : never }[QueueName];
export type RowlessQueueName = Exclude<QueueName, JobQueueName>;
export type RedisQueueName = QueueName | typeof longRenderQueueName;

export const queueNames = Object.keys(queues) as QueueName[];
export const jobQueueNames = queueNames.filter((name): name is JobQueueName => queues[name].hasRows);
export const rowlessQueueNames = queueNames.filter((name): name is RowlessQueueName => !queues[name].hasRows);
export const renderQueueNames = queues.pdf.inRedis;
export const redisQueueNames: readonly RedisQueueName[] = [...queueNames, longRenderQueueName];
/** The queues in Redis whose jobs are waited for. */
export const endingQueueNames: readonly RedisQueueName[] = [...jobQueueNames, ...renderQueueNames];

/** The delay in milliseconds before the next attempt after `failures` (from 1): exponential up to a maximum. */
export function delayAfter({ firstDelayMs, factor, maxDelayMs }: Delays, failures: number): number {
  return Math.min(maxDelayMs, firstDelayMs * factor ** (failures - 1));
}

/** How long e-mails pause before a probe while the mail provider refuses the configured credentials. */
export const mailProbe: Delays = { firstDelayMs: 30_000, factor: 2, maxDelayMs: 5 * 60_000 };

/** How long a job is deferred that MySQL cannot serve now (a lock that is held, read-only, disk full). It uses no attempt. */
export const databaseRetry: Delays = { firstDelayMs: 1_000, factor: 2, maxDelayMs: 15_000 };

/** A render that was cut off at the deadline is likely to be cut off again. */
export const attemptsOfCutOffRender = 2;

/**
 * A killed worker's job must run again within 15 s: its BullMQ lock ends after `lockMs`, the next two stalled checks queue it
 * anew, and by then the row's lease has ended as well. A living job renews both at half their time.
 */
export const leases = { lockMs: 5_000, stalledCheckMs: 3_000, leaseMs: 5_000 } as const;

/**
 * How often a worker reports itself and reads which queues are paused: a pause is honoured within 5 seconds, and a worker
 * whose last three heartbeats are missing counts as dead.
 */
export const heartbeatEveryMs = 3_000;

/**
 * A worker that has free slots and takes no entry of a queue in so many checks, though one waits, is not connected as it seems: it connects
 * anew. A cluster whose nodes change may leave a client in such a state.
 */
export const stuckQueue = { checkEveryMs: 5_000, checks: 3 } as const;

/** How the workers relay the rows of the outbox that were left behind. */
export const relay = {
  everyMs: 2_000,
  /** How long after it was due a row that no worker has claimed is left behind: what a crash between commit and add costs. */
  graceMs: 5_000,
  /** A job that is due later than this waits in MySQL, and is queued when it is due. */
  soonMs: 5_000,
  /** How long after a relay the row is relayed again. Adding twice is harmless, so this only bounds the work. */
  againAfterMs: 30_000,
} as const;

/** How open payment links are polled, over all workers. */
export const linkPolls = {
  everyMs: 30_000,
  /** Where no rate of the gateway is set. */
  perSecond: 10,
} as const;

/** How often the calendar is scanned. A scan that is lost costs this much: the next one finds the same due. */
export const scanEveryMs = 30_000;

/** How companies share the slots of a queue. */
export const queueTurns = {
  /** Time of a job that no request waits for counts this many times. */
  costOfOthers: 4,
  /** What a company's first job is charged, in milliseconds, before any was measured. */
  firstMs: 100,
  /** The most that one job counts, and that a company owes when its jobs took longer than it was charged. */
  mostMs: 60_000,
  /** How often a worker reports what jobs took. */
  settleEveryMs: 100,
  /** For how long Redis keeps what a company's jobs took. Longer than any backlog waits, so that its order stays. */
  keptMs: 86_400_000,
} as const;

/** How companies share the slots that print PDFs. */
export const renderFairness = {
  /** Renders of one company that one process waits for; a request for one more is refused. */
  waitingOfCompany: 1_000,
  /** A print that takes longer is slow. An invoice of 500 lines takes a tenth of that. */
  slowMs: 1_000,
  /** For this long after its last slow print, a company's renders wait in the queue of long ones. */
  slowForMs: 5 * 60_000,
} as const;

/** How events are sent to webhook endpoints. */
export const deliveries = {
  /** How long after each failed attempt the next one follows. One that fails after the last delay has failed for good. */
  retryDelaysMs: [5_000, 30_000, 2 * 60_000, 10 * 60_000, ...[1, 4, 12, 24, 24].map((hours) => hours * 3_600_000)],
  /** A delay is up to this part longer by chance, so that what failed together is not retried together. */
  jitter: 0.1,
  /** An endpoint that has only failed for this long is disabled. */
  pauseAfterMs: 5 * 86_400_000,
  /** Of the endpoints that a worker could serve besides those that it serves now: a company has fewer than this part of them. */
  shareOfFree: 1 / 8,
  /**
   * Entries that a worker takes for each endpoint that it may serve: those of a company that has its share wait in the process. Not
   * more, since BullMQ takes all entries that it may, one after the other, before it begins with the first.
   */
  entriesPerSlot: 1.25,
  /**
   * In place of `leases.lockMs`: taking so many entries lasts some seconds in a busy process, and BullMQ renews no lock before. What a
   * dead worker leaves behind is found by the lease of the endpoint.
   */
  lockMs: 30_000,
  /** Requests to one endpoint at the same time. */
  inFlight: 10,
  /** After this many failures without a success in between an endpoint gets one request at a time. */
  suspectAfter: 3,
  /** After this long, or this many events, it is another endpoint's turn. */
  turnMs: 2_000,
  turnEvents: 1_000,
  /** Events and retries that are read together. */
  batch: 100,
  /** What they may take in memory. One event always fits. */
  batchBytes: 256 * 1024,
  /** How long an outcome may wait for others with which it is recorded. A killed worker's are sent again. */
  recordEveryMs: 250,
} as const;

/** How often to look for endpoints with retries that are due, and for those that were left behind. */
export const endpointScanEveryMs = 1_000;
