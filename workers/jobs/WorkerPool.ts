import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { DelayedError, ErrorCode, UnrecoverableError, Worker, type Job } from 'bullmq';
import {
  leases,
  longRenderQueueName,
  queueTurns,
  stuckQueue,
  type QueueName,
  type RedisQueueName,
} from '../../config/queues';
import { LoopShare } from '../../shared/engine/fair';
import { flowOf } from '../../shared/engine/jobs';
import { OccasionalWarning } from '../../shared/engine/log';
import { disconnectRedis, replyOf, type RedisClient } from '../../shared/engine/redis';
import type { Services } from '../../shared/services';
import { QueueGate, type PauseReason } from './QueueGate';
import type { QueueEntry, ServedQueue } from './ServedQueue';

/** A queue's entry is a hint and may come twice or late. MySQL decides how often work is retried. */
const MAX_STALLED = 1_000;
/** How long a worker pauses after Redis has refused a command. */
const REFUSED_MS = 1_000;
/** More entries than any queue starts in a second. */
const UNLIMITED = 1_000_000_000;
/** How long an entry is deferred that was taken while its queue was being paused. */
const PUT_BACK_MS = 1_000;

/** How long BullMQ waits after a closed connection before it retries. */
const RETRY_MS = 1_000;

/** A queue with its consumer and its gate. */
interface Served {
  readonly queue: ServedQueue;
  readonly gate: QueueGate;
  /** BullMQ's, with its connection; replaced when the queue is {@link WorkerPool.watch stuck}. */
  taker: { readonly worker: Worker; readonly connection: RedisClient };
  /** Entries in progress. */
  inProgress: number;
  /** Whether an entry was taken since the last check, and the checks in a row that found none taken although one waits. */
  hasTaken: boolean;
  stuckChecks: number;
}

/** The BullMQ workers of one process, one for each queue that it serves. */
export class WorkerPool {
  private readonly draining = new AbortController();
  private readonly stopping = new AbortController();
  private readonly served: readonly Served[];
  private readonly lostLocks: OccasionalWarning;
  private readonly loop = new LoopShare();
  private readonly watching: NodeJS.Timeout;

  /** @param waits true to take no entries before the first call of {@link pauseOnly} */
  constructor(
    private readonly services: Pick<Services, 'config' | 'log' | 'redis' | 'queues'>,
    queues: readonly ServedQueue[],
    { waits = false }: { waits?: boolean } = {},
  ) {
    // Each run of a job listens. Node.js warns of more than 10.
    setMaxListeners(0, this.stopping.signal);
    this.lostLocks = new OccasionalWarning(
      services.log,
      'a queue has taken jobs back from this worker, which was suspended or has too little CPU',
    );
    this.served = queues.map((queue) => this.open(queue, waits));
    const watchAll = (): void => this.served.forEach((served) => void this.watch(served));
    this.watching = setInterval(watchAll, stuckQueue.checkEveryMs).unref();
  }

  get isRunning(): boolean {
    return this.served.every(({ taker, gate }) => taker.worker.isRunning() || gate.isClosed);
  }

  /** How many entries are processed now. */
  get running(): number {
    return this.served.reduce((sum, { inProgress }) => sum + inProgress, 0);
  }

  async waitUntilReady(): Promise<void> {
    await Promise.all(this.served.map(({ taker }) => taker.worker.waitUntilReady()));
  }

  /** Pauses the queues that the operator has paused, and no others; other reasons to pause stay. */
  pauseOnly(paused: ReadonlySet<QueueName>): void {
    for (const { queue, gate } of this.served) {
      const name = queue.queue === longRenderQueueName ? 'pdf' : queue.queue;
      gate.set('operator', paused.has(name));
      gate.set('not read yet', false);
    }
  }

  /** Takes no more entries and waits for those in progress; after `deadlineMs` these are aborted, to be run by another worker. */
  async drain(deadlineMs: number): Promise<void> {
    this.draining.abort();
    clearInterval(this.watching);
    this.loop.close();
    const abort = setTimeout(() => this.stopping.abort(new Error('the worker shuts down')), deadlineMs);
    // Closing has no time-out and waits for an unreachable Redis. An aborted job gets a tenth of the time to end.
    await Promise.race([
      Promise.all(this.served.map(({ taker }) => taker.worker.close())),
      sleep(deadlineMs * 1.1, undefined, { ref: false }),
    ]);
    clearTimeout(abort);
    // BullMQ does not close a connection that it was given.
    this.served.forEach(({ taker }) => disconnectRedis(taker.connection));
  }

  private open(queue: ServedQueue, waits: boolean): Served {
    // Does not wait for the jobs in progress: one of them may have requested the pause.
    const pausable = {
      pause: () => served.taker.worker.pause(true),
      resume: () => served.taker.worker.resume(),
    };
    const reasons = new Set<PauseReason>(waits ? ['not read yet'] : []);
    const gate = new QueueGate(queue.queue, pausable, this.services.log, reasons);
    const state = { queue, gate, inProgress: 0, hasTaken: false, stuckChecks: 0 };
    const served: Served = Object.assign(state, { taker: this.take(() => served, queue, gate) });
    queue.onOpen?.((isPaused) => gate.set('credentials', isPaused));
    return served;
  }

  /** Begins to take entries, unless the gate is closed. */
  private take(served: () => Served, { queue, ...options }: ServedQueue, gate: QueueGate): Served['taker'] {
    const { config, redis } = this.services;
    const { concurrency, maxStarts, ratePerSecond, lockMs = leases.lockMs } = options;
    const connection = redis.connect('blocking');
    // BullMQ must ask Redis for its version (no `skipVersionCheck`): else it takes it for 5.0, and rounds each delay up to a second.
    const worker: Worker = new Worker(queue, (job, token) => this.process(served(), job, token ?? ''), {
      connection,
      prefix: config.queuePrefixes[queue],
      concurrency,
      lockDuration: lockMs,
      stalledInterval: leases.stalledCheckMs,
      maxStalledCount: MAX_STALLED,
      runRetryDelay: RETRY_MS,
      ...(maxStarts !== undefined && { maxStartedAttempts: maxStarts }),
      // BullMQ counts in Redis, over all workers. Without a limit it would ignore `JobQueues.rest`.
      ...(ratePerSecond !== undefined && { limiter: limiterOf(ratePerSecond) }),
      // A worker that was never started is started by `resume`.
      autorun: !gate.isClosed,
    });
    worker.on('error', (error) => {
      if (isLostLock(error)) return this.lostLocks.note({ queue, err: error.message });
      if (isUnrenewedLock(error))
        return this.services.log.debug({ queue, err: error.message }, 'a lock was not renewed');
      redis.report(error, { queue });
      if (replyOf(error) === null || connection.status !== 'ready') return;
      rest(gate);
    });
    worker.on('stalled', (jobId) => void this.warnOfStalled(queue, jobId));
    return { worker, connection };
  }

  /**
   * Replaces BullMQ's worker and its connections where entries of the queue wait, the process has free slots, and none is taken. Entries in
   * progress continue. Their rows keep an entry that is handed out twice from running twice.
   */
  private async watch(served: Served): Promise<void> {
    const { queue, gate, taker, inProgress, hasTaken } = served;
    served.hasTaken = false;
    const mayTake = !gate.isClosed && !hasTaken && inProgress < queue.concurrency;
    // While Redis is unreachable, its entries are unknown.
    const isStuck = mayTake && (await this.services.queues.hasReadyEntries(queue.queue).catch(() => false));
    served.stuckChecks = isStuck && !served.hasTaken ? served.stuckChecks + 1 : 0;
    if (served.stuckChecks < stuckQueue.checks || this.draining.signal.aborted) return;
    served.stuckChecks = 0;
    this.services.log.warn({ queue: queue.queue }, 'entries wait and none is taken: the worker connects to Redis anew');
    served.taker = this.take(() => served, queue, gate);
    // Closing may wait for a connection that does not end.
    taker.worker
      .close(true)
      .catch((error: unknown) => this.services.redis.report(error as Error, { queue: queue.queue }));
    disconnectRedis(taker.connection);
  }

  private async warnOfStalled(queue: RedisQueueName, jobId: string): Promise<void> {
    // Without Redis, the log line has fewer fields.
    const entry = await this.services.queues.entry(queue, jobId).catch(() => null);
    const { requestId, companyId } = (entry?.data ?? {}) as { requestId?: string | null; companyId?: number };
    this.services.log.warn({ queue, jobId, companyId, requestId }, 'a job is run again: its worker has died');
  }

  private async process(served: Served, job: Job, token: string): Promise<unknown> {
    served.hasTaken = true;
    // BullMQ hands out one more entry when it was waiting for one as the pause began.
    if (served.gate.isClosed) return this.putBack(served.queue, job, token, PUT_BACK_MS);
    served.inProgress += 1;
    try {
      return await this.processNow(served.queue, job, token);
    } finally {
      served.inProgress -= 1;
    }
  }

  /** Defers an entry that was not started. */
  private async putBack({ queue }: ServedQueue, job: Job, token: string, delayMs: number): Promise<never> {
    if (job.id !== undefined) await this.services.queues.uncountStart(queue, job.id);
    return putOff(job, token, delayMs);
  }

  private async processNow(served: ServedQueue, job: Job, token: string): Promise<unknown> {
    const { draining, stopping } = this;
    const { queues } = this.services;
    const begun = performance.now();
    const entry: QueueEntry = {
      id: job.id,
      data: job.data as unknown,
      starts: job.attemptsStarted,
      dueAt: new Date(job.timestamp + (job.opts.delay ?? 0)),
      companyId: flowOf(job.data)?.companyId,
      loop: this.loop,
      draining: draining.signal,
      stopping: stopping.signal,
    };
    const outcome = await served
      .process(entry)
      .finally(() => queues.ran(served.queue, job.data, chargeOf(served, performance.now() - begun)));
    if ('done' in outcome) return outcome.done;
    if ('failed' in outcome) throw new UnrecoverableError(outcome.failed.message);
    if (job.id !== undefined) await queues.placeAgain(served.queue, job.id, job.data);
    if (outcome.notStarted === true) return this.putBack(served, job, token, outcome.delayMs);
    return putOff(job, token, outcome.delayMs);
  }
}

/**
 * A tenth of a second's entries at a time, or one: an entry whose turn is next waits for the end of a window that a backlog of others has
 * used up.
 */
function limiterOf(ratePerSecond: number): { max: number; duration: number } {
  if (ratePerSecond === 0) return { max: UNLIMITED, duration: 1_000 };
  const max = Math.max(1, Math.floor(ratePerSecond / 10));
  return { max, duration: Math.ceil((1_000 * max) / ratePerSecond) };
}

/**
 * Returns what an entry that held its slot for `ms` costs its company. A start costs at least its part of the rate, also if its work was not
 * there yet, or its company had no slot: all companies wait for the next start. Where starts are rarer than {@link queueTurns.firstMs}, all
 * charges are reduced, so that a start costs no more than a company's first job.
 */
function chargeOf({ concurrency, ratePerSecond = 0 }: ServedQueue, ms: number): number {
  const ofStart = ratePerSecond === 0 ? 0 : (1_000 * concurrency) / ratePerSecond;
  return Math.max(ms, ofStart) * Math.min(1, queueTurns.firstMs / ofStart);
}

/** The entry was given to another worker, or to this one again. In MySQL only the run with the highest attempt number can record. */
const isLostLock = (error: Error & { code?: unknown }): boolean => lostLockCodes.has(error.code);

const lostLockCodes: ReadonlySet<unknown> = new Set([
  ErrorCode.JobLockNotExist,
  ErrorCode.JobLockMismatch,
  // The other run has ended, or was deferred.
  ErrorCode.JobNotExist,
  ErrorCode.JobNotInState,
]);

/** Usually the entry has ended just now. */
const isUnrenewedLock = (error: Error): boolean => error.message.startsWith('could not renew lock');

/** @throws {DelayedError} always, which BullMQ takes for "not ended". */
async function putOff(job: Job, token: string, delayMs: number): Promise<never> {
  // BullMQ uses the machine's clock.
  await job.moveToDelayed(Date.now() + Math.max(delayMs, 1), token);
  throw new DelayedError();
}

/** BullMQ immediately retries commands that Redis refuses (a replica, a full server), thousands of times a second. */
function rest(gate: QueueGate): void {
  gate.set('refused by Redis', true);
  setTimeout(() => gate.set('refused by Redis', false), REFUSED_MS).unref();
}
