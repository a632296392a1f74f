/** How often and how long a failed job is retried. Delays grow by `factor` up to `maxDelayMs`, with jitter. */
export interface RetryPolicy extends Delays {
  readonly attempts: number;
}

export interface Delays {
  readonly firstDelayMs: number;
  readonly factor: number;
  readonly maxDelayMs: number;
}

/** Slow renders wait in a queue of their own in Redis, so that they never take all slots of a worker. */
export const longRenderQueueName = 'pdf-long';

/**
 * Every queue: one for each kind of work, so that a slow PDF delays no e-mail and each can be scaled on its own. Work that must survive a
 * crash has rows in `jobs`. Other work is in Redis only: renders, which a caller can request again, and requests to read from MySQL which
 * deliveries of a webhook endpoint, or which records of the calendar, are due.
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
    // Twice the statements of an e-mail.
    costMs: 16,
    retries: { attempts: 8, firstDelayMs: 500, factor: 3, maxDelayMs: 15 * 60_000 },
  },
  // A run imports for a second, then another company has its turn. Only an unreachable store or a killed worker fails a run.
  import: {
    hasRows: true,
    costMs: 400,
    retries: { attempts: 20, firstDelayMs: 1_000, factor: 2, maxDelayMs: 10 * 60_000 },
  },
  // The cost of each request.
  webhook: { hasRows: false, inRedis: ['webhook'], costMs: 1.5 },
  schedule: { hasRows: false, inRedis: ['schedule'], costMs: 0 },
} as const satisfies Record<string, (Rows | NoRows) & Cost>;

interface Cost {
  /**
   * The average CPU time of a piece of its work in the worker's own process, in milliseconds. Companies share the worker by it. A scan
   * serves all companies.
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
/** The queues whose work has rows in `jobs`. */
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

/** Attempts of a render that was cut off at its deadline: it is likely to be cut off again. */
export const attemptsOfCutOffRender = 2;

/**
 * A killed worker's job must run again within 15 s: its BullMQ lock ends after `lockMs`, the next two stalled checks queue it
 * anew, and by then the row's lease has ended as well. A living job renews both at half their time.
 */
export const leases = { lockMs: 5_000, stalledCheckMs: 3_000, leaseMs: 5_000 } as const;

/**
 * How often a worker writes its heartbeat and reads which queues are paused. A pause takes effect within 5 seconds; a worker that missed
 * three heartbeats counts as dead.
 */
export const heartbeatEveryMs = 3_000;

/**
 * A worker with free slots that takes no entry in `checks` checks, although one waits, reconnects: its connection only seems to work. A
 * client can get into this state when the nodes of a cluster change.
 */
export const stuckQueue = { checkEveryMs: 2_500, checks: 3 } as const;

/** How the workers relay rows of the outbox that are not queued. */
export const relay = {
  everyMs: 2_000,
  /** A row that no worker has claimed this long after it was due is relayed. A crash between commit and add delays a job by this. */
  graceMs: 5_000,
  /** A job that is due later than this waits in MySQL, and is queued when it is due. */
  soonMs: 5_000,
  /** How long after a relay the row is relayed again. Adding a job twice is harmless; this only limits the work. */
  againAfterMs: 30_000,
} as const;

/** How open payment links are polled, over all workers. */
export const linkPolls = {
  everyMs: 30_000,
  /** Used where no rate of the gateway is set. */
  perSecond: 10,
} as const;

/** How often the calendar is scanned. A lost scan delays due records by this: the next one finds them. */
export const scanEveryMs = 30_000;

/** How companies share the slots of a queue. */
export const queueTurns = {
  /** The time of a job that no request waits for is multiplied by this, also beside another company's jobs that are waited for. */
  costOfOthers: 2,
  /** The charge for a company's first job, in milliseconds: none of its jobs has been measured yet. */
  firstMs: 100,
  /** The highest charge for one job, and the most that a company owes after jobs that took longer than they were charged. */
  mostMs: 60_000,
  /**
   * How much unused time a company saves for jobs that requests wait for, in milliseconds. A deferred entry returns after a quarter of a
   * second with its old turn. Without savings, a company's first job would wait behind several such entries of others.
   */
  savedMs: 500,
  /** How often a worker reports how long jobs took. */
  settleEveryMs: 100,
  /** How long Redis keeps a company's charges. It is longer than any backlog lasts, so that its order stays. */
  keptMs: 86_400_000,
} as const;

/** How companies share the slots that print PDFs. */
export const renderFairness = {
  /** Renders of one company that one process waits for. A further request is refused. */
  waitingOfCompany: 1_000,
  /** What a print takes beyond this is taken from its company's allowance. The longest usual ones take half of this on two quiet cores. */
  usualMs: 250,
  /** A company's allowance in one process. The first Chinese invoice of a browser may take two seconds of it, to load its fonts. */
  allowanceMs: 5_000,
  /** How much of its allowance a company gets back in each millisecond, in milliseconds, up to the whole. */
  allowanceGrowth: 1 / 20,
  /** For this long after its allowance is used up, a company's renders wait in the queue of long ones. */
  slowForMs: 5 * 60_000,
} as const;

/** How events are sent to webhook endpoints. */
export const deliveries = {
  /** The delay after each failed attempt. A delivery that fails after the last delay is not retried. */
  retryDelaysMs: [5_000, 30_000, 2 * 60_000, 10 * 60_000, ...[1, 4, 12, 24, 24].map((hours) => hours * 3_600_000)],
  /** Each delay gets up to this fraction more at random, so that deliveries that failed together are not retried together. */
  jitter: 0.1,
  /** An endpoint whose requests have all failed for this long is disabled. */
  pauseAfterMs: 5 * 86_400_000,
  /** A company's share of the endpoints that a worker could serve in addition to those that it serves now. */
  shareOfFree: 1 / 8,
  /**
   * Entries that a worker takes for each endpoint that it may serve. Those of a company that has used its share wait in the process. It is
   * not higher because BullMQ takes all entries that it may, one after the other, before it starts the first.
   */
  entriesPerSlot: 1.25,
  /**
   * Replaces `leases.lockMs`. Taking that many entries lasts some seconds in a busy process, and BullMQ renews no lock before that. Work of
   * a dead worker is found by the lease of its endpoint.
   */
  lockMs: 30_000,
  /** Requests to one endpoint at the same time. */
  inFlight: 10,
  /** After this many failures without a success in between an endpoint gets one request at a time. */
  suspectAfter: 3,
  /** After this long, or this many events, another endpoint has its turn. */
  turnMs: 2_000,
  turnEvents: 1_000,
  /** The most events and retries of the first batch of a turn, and of any batch. */
  firstBatch: 10,
  batch: 100,
  /** The bytes that a batch should have at most, if its events are as large as those of the batch before. It has at least one event. */
  batchBytes: 256 * 1024,
  /**
   * How long an outcome may wait to be recorded together with others. Deliveries whose outcome a killed worker has not recorded are sent
   * again.
   */
  recordEveryMs: 250,
} as const;

/** How often to scan for endpoints with due retries, and for endpoints that a dead worker was serving. */
export const endpointScanEveryMs = 1_000;

/** How often the installation is cleaned up. */
export const cleanUpEveryMs = 10 * 60_000;
