import { setTimeout as sleep } from 'node:timers/promises';
import { DelayedError, UnrecoverableError, Worker, type Job } from 'bullmq';
import type { Redis } from 'ioredis';
import { leases } from '../../config/queues';
import { disconnectRedis } from '../../shared/kernel/queues/RedisConnections';
import { replyOf } from '../../shared/kernel/queues/replies';
import type { Services } from '../../shared/kernel/services';
import type { Pausable, ServedQueue } from './ServedQueue';

/** A queue's entry is a hint and may come twice or late; how often work is tried is decided in MySQL. */
const MAX_STALLED = 1_000;
/** How long a worker pauses after Redis has refused a command. */
const REFUSED_MS = 1_000;

/** The BullMQ workers of one process, one for each queue that it serves. */
export class WorkerPool {
  private readonly draining = new AbortController();
  private readonly stopping = new AbortController();
  private readonly connections: Redis[] = [];
  private readonly workers: Worker[];

  constructor(
    private readonly services: Pick<Services, 'config' | 'log' | 'redis'>,
    queues: readonly ServedQueue[],
  ) {
    this.workers = queues.map((served) => this.open(served));
  }

  get isRunning(): boolean {
    return this.workers.every((worker) => worker.isRunning() || worker.isPaused());
  }

  async waitUntilReady(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.waitUntilReady()));
  }

  /** Takes no more entries and waits for those in progress; after `deadlineMs` these are aborted, to be run by another worker. */
  async drain(deadlineMs: number): Promise<void> {
    this.draining.abort();
    const abort = setTimeout(() => this.stopping.abort(new Error('the worker shuts down')), deadlineMs);
    // Closing has no time-out and waits for an unreachable Redis. An aborted job gets a tenth of the time to end.
    await Promise.race([
      Promise.all(this.workers.map((worker) => worker.close())),
      sleep(deadlineMs * 1.1, undefined, { ref: false }),
    ]);
    clearTimeout(abort);
    // BullMQ does not close a connection that it was given.
    this.connections.forEach(disconnectRedis);
  }

  private open(served: ServedQueue): Worker {
    const { config, log, redis } = this.services;
    const { queue, concurrency, maxStarts } = served;
    const connection = redis.connect('blocking');
    this.connections.push(connection);
    const worker = new Worker(queue, (job, token) => this.process(served, job, token ?? ''), {
      connection,
      prefix: config.redisPrefix,
      concurrency,
      lockDuration: leases.lockMs,
      stalledInterval: leases.stalledCheckMs,
      maxStalledCount: MAX_STALLED,
      ...(maxStarts !== undefined && { maxStartedAttempts: maxStarts }),
      skipVersionCheck: true,
    });
    served.onOpen?.(pausable(worker));
    worker.on('error', (error) => {
      redis.report(error, { queue });
      if (replyOf(error) === null || connection.status !== 'ready') return;
      rest(worker).catch((failure: unknown) => log.error({ err: failure, queue }, 'a worker could not be paused'));
    });
    worker.on('stalled', (jobId) => log.warn({ queue, jobId }, 'a job is run again: its worker has died'));
    return worker;
  }

  private async process(served: ServedQueue, job: Job, token: string): Promise<unknown> {
    const { draining, stopping } = this;
    const outcome = await served.process({
      id: job.id,
      data: job.data,
      starts: job.attemptsStarted,
      dueAt: new Date(job.timestamp + (job.opts.delay ?? 0)),
      draining: draining.signal,
      stopping: stopping.signal,
    });
    if ('done' in outcome) return outcome.done;
    if ('failed' in outcome) throw new UnrecoverableError(outcome.failed.message);
    // BullMQ goes by the machine's clock, and takes this error for "not ended".
    await job.moveToDelayed(Date.now() + Math.max(outcome.delayMs, 1), token);
    throw new DelayedError();
  }
}

const pausable = (worker: Worker): Pausable => ({
  // Without waiting for the jobs in progress: one of them may have asked for the pause.
  pause: () => worker.pause(true),
  resume: () => Promise.resolve(worker.resume()),
});

/** BullMQ repeats immediately what Redis refuses (a replica, a full server), thousands of times a second. */
async function rest(worker: Worker): Promise<void> {
  if (worker.isPaused()) return;
  await worker.pause(true);
  await sleep(REFUSED_MS, undefined, { ref: false });
  await worker.resume();
}
