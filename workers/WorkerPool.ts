import { setTimeout as sleep } from 'node:timers/promises';
import { DelayedError, UnrecoverableError, Worker, type Job } from 'bullmq';
import type { Redis } from 'ioredis';
import {
  attemptsOfCutOffRender,
  leases,
  longRenderQueueName,
  renderQueueNames,
  retryPolicies,
  type RedisQueueName,
} from '../config/queues';
import { AppError, RenderCutOff } from '../shared/errors';
import type { RenderInvoicePdf } from '../shared/jobs/renderInvoicePdf';
import { connectRedis, disconnectRedis } from '../shared/queues/redisConnection';
import { backoff } from './backoff';
import { renderInvoicePdf } from './jobs/renderInvoicePdf';
import { runTick } from './jobs/runTick';
import { TakenOver, type Tools } from './JobRun';
import type { PdfRenderer } from './pdf/PdfRenderer';
import { runJob } from './runJob';

/** A queue's entry is a hint and may come twice or late; how often work is tried is decided in MySQL. */
const MAX_STALLED = 1_000;
/** MySQL is away: look again after this long. */
const DATABASE_AWAY_MS = 2_000;

/** The BullMQ workers of one process, one for each queue that it serves. */
export class WorkerPool {
  private readonly draining = new AbortController();
  private readonly stopping = new AbortController();
  private readonly connections: Redis[] = [];
  private readonly workers: Worker[];

  constructor(
    private readonly tools: Tools,
    private readonly renderer: PdfRenderer | null,
  ) {
    const { worker } = tools.services.config;
    this.workers = worker.queues.flatMap((queue) => {
      const concurrency = worker.concurrency[queue];
      if (queue !== 'pdf') return this.serve(queue, concurrency);
      // Both share the slots of one renderer; long renders leave one to the others.
      return [this.serve('pdf', concurrency), this.serve(longRenderQueueName, Math.max(1, concurrency - 1))];
    });
  }

  get isRunning(): boolean {
    return this.workers.every((worker) => worker.isRunning());
  }

  async waitUntilReady(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.waitUntilReady()));
  }

  /** Takes no more jobs and waits for the running ones; after `deadlineMs` those are aborted and run again elsewhere. */
  async drain(deadlineMs: number): Promise<void> {
    this.draining.abort();
    const abort = setTimeout(() => this.stopping.abort(new Error('the worker shuts down')), deadlineMs);
    // Closing has no time-out of its own and waits for a Redis that is away: an aborted job gets a moment, no more.
    await Promise.race([
      Promise.all(this.workers.map((worker) => worker.close())),
      sleep(deadlineMs * 1.1, undefined, { ref: false }),
    ]);
    clearTimeout(abort);
    // BullMQ does not close a connection that it was given.
    this.connections.forEach(disconnectRedis);
  }

  private serve(queue: RedisQueueName, concurrency: number): Worker {
    const { services } = this.tools;
    const { config, log } = services;
    const connection = connectRedis(config.redisUrl, 'blocking', log);
    this.connections.push(connection);
    const worker = new Worker(queue, (job, token) => this.process(queue, job, token ?? ''), {
      connection,
      prefix: config.redisPrefix,
      concurrency,
      lockDuration: leases.lockMs,
      stalledInterval: leases.stalledCheckMs,
      maxStalledCount: MAX_STALLED,
      // A render has no row: BullMQ counts how often it was started, also by workers that died of it.
      ...(isRender(queue) && { maxStartedAttempts: retryPolicies.pdf.attempts }),
      skipVersionCheck: true,
    });
    worker.on('error', (error) => log.debug({ err: error.message, queue }, 'worker error'));
    worker.on('stalled', (jobId) => log.warn({ queue, jobId }, 'a job is taken up again: its worker is gone'));
    return worker;
  }

  private async process(queue: RedisQueueName, job: Job, token: string): Promise<unknown> {
    if (isRender(queue)) return this.render(job, token);
    if (queue === 'schedule') return runTick(this.tools.services, this.draining.signal);
    const { jobId } = job.data as { jobId: number };
    const { log, databaseClock, sql } = this.tools.services;
    try {
      await databaseClock.ensureCompared(sql);
      const outcome = await runJob(this.tools, jobId, this.stopping.signal);
      if ('again' in outcome) return await comeAgain(job, token, this.millisecondsUntil(outcome.again));
      if ('failed' in outcome) throw new UnrecoverableError(outcome.failed.message);
      return null;
    } catch (error) {
      if (error instanceof TakenOver) return null;
      if (error instanceof UnrecoverableError || error instanceof DelayedError) throw error;
      log.warn({ err: error, jobId }, 'a job could not be run or recorded; it comes again');
      return comeAgain(job, token, DATABASE_AWAY_MS);
    }
  }

  private millisecondsUntil(at: Date): number {
    return at.getTime() - this.tools.services.clock.now().getTime();
  }

  private async render(job: Job, token: string): Promise<string> {
    if (this.renderer === null) throw new Error('this worker has no browser');
    const { services } = this.tools;
    const data = job.data as RenderInvoicePdf;
    try {
      return await renderInvoicePdf(services, this.renderer, data);
    } catch (error) {
      const attempt = job.attemptsStarted;
      services.log.warn({ err: error, jobId: job.id, companyId: data.companyId, attempt }, 'a render failed');
      if (error instanceof RenderCutOff) await services.renderTurns.recordCutOff(data.companyId);
      if (attempt >= renderAttempts(error)) throw new UnrecoverableError(String(error));
      return comeAgain(job, token, backoff(retryPolicies.pdf, attempt, error));
    }
  }
}

function isRender(queue: RedisQueueName): boolean {
  return (renderQueueNames as readonly RedisQueueName[]).includes(queue);
}

function renderAttempts(error: unknown): number {
  if (error instanceof RenderCutOff) return attemptsOfCutOffRender;
  return error instanceof AppError && error.retryable ? retryPolicies.pdf.attempts : 1;
}

/** Puts the queue's entry back for so long; BullMQ takes this error for "not ended". BullMQ goes by the machine's clock. */
async function comeAgain(job: Job, token: string, delayMs: number): Promise<never> {
  await job.moveToDelayed(Date.now() + Math.max(delayMs, 1), token);
  throw new DelayedError();
}
