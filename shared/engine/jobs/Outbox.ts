import { setTimeout as sleep } from 'node:timers/promises';
import type { Sequelize } from 'sequelize-typescript';
import { jobQueueNames, relay as timing, type JobQueueName } from '../../../config/queues';
import type { Clock } from '../clock';
import { companiesWithDue, dueOf, dueOfAll, lockDue, type DueJobs } from './dueForRelay';
import { pausedQueues } from './queuePauses';
import { isSoon } from './relayTimes';
import { companyPages, type JobRef, pooledSql, type Sql, toSqlTime, transactionSql } from '../db';
import { type Logger, OccasionalWarning, untilRepaired } from '../log';
import type { JobQueues } from './JobQueues';

export const bullJobId = (jobId: number): string => `job-${jobId}`;

/** The number of jobs in one transaction. To put them into their queue takes 20 ms. */
const BATCH = 100;
/** Before the next ones the relay pauses this many times as long: a backlog leaves a worker most of its event loop. */
const PAUSE_TIMES = 2;
const LONGEST_PAUSE_MS = 100;
/** The most batches of one queue that one call relays. */
const MOST_BATCHES = 50;
/** While this many entries wait in a queue, a backlog stays in MySQL: Redis holds the jobs that the workers run in the next seconds. */
const MOST_WAITING = 1_000;
/** The same for entries that were deferred: they may be one company's. */
const MOST_DELAYED = 10_000;
/** Of a backlog, one call relays for each company a part of {@link MOST_WAITING}, or this many jobs; none while its flow is full. */
const OF_EACH_COMPANY = 20;

/** Moves recorded jobs from MySQL to the queues. Relaying twice is harmless: `runJob` claims the row. */
export class Outbox {
  private readonly relaying = new Map<number, Promise<boolean>>();
  private readonly notQueued = new OccasionalWarning(this.log, 'a job waits in MySQL for its queue', untilRepaired);

  constructor(
    private readonly sequelize: Sequelize,
    private readonly queues: JobQueues,
    private readonly clock: Clock,
    private readonly log: Logger,
  ) {}

  /**
   * Queues a job whose row is committed, unless it is due later than soon or its flow is full ({@link JobQueues.isFull}). Returns false
   * when Redis is unreachable: {@link relayDue} then queues the job later. Never throws.
   */
  relay(job: JobRef): Promise<boolean> {
    if (!isSoon(job.availableAt, this.clock.now()) || this.queues.isFull(job.queue, job)) return Promise.resolve(true);
    const relay = this.add(job).finally(() => this.relaying.delete(job.id));
    this.relaying.set(job.id, relay);
    return relay;
  }

  /** Returns false when Redis is unreachable or the relay of the job has just failed: waiting for the job is then useless. */
  async isQueued(jobId: number): Promise<boolean> {
    const relayed = await this.relaying.get(jobId);
    return relayed ?? this.queues.isConnected;
  }

  /**
   * Queues due jobs that are not queued: jobs that waited in MySQL until they were due, and jobs left behind (a crash between commit and
   * add, Redis down or flushed, a worker that died). Safe in concurrent processes. Returns how many were queued. Jobs of a paused queue
   * follow when it is resumed. The jobs that were due first come first, until {@link MOST_WAITING} wait in the queue. Then the first jobs
   * of each company follow, so that a company waits for its own backlog only.
   */
  async relayDue(): Promise<number> {
    if (!this.queues.isConnected) return 0;
    const paused = await pausedQueues(pooledSql(this.sequelize));
    let queued = 0;
    for (const queue of jobQueueNames) if (!paused.has(queue)) queued += await this.relayQueue(queue);
    return queued;
  }

  private async relayQueue(queue: JobQueueName): Promise<number> {
    let { queued } = await this.relayBatch(dueOfAll(queue, 'running'), BATCH);
    for (let batch = 0; batch < MOST_BATCHES; batch++) {
      const { waiting = 0, delayed = 0 } = await this.queues.counts(queue);
      if (waiting >= MOST_WAITING || delayed >= MOST_DELAYED) break;
      const relayed = await this.relayBatch(dueOfAll(queue, 'pending'), BATCH);
      queued += relayed.queued;
      // Also fewer if another process relays at the same time; that process continues.
      if (relayed.found < BATCH) return queued;
    }
    return queued + (await this.relayOfEachCompany(queue));
  }

  private async relayOfEachCompany(queue: JobQueueName): Promise<number> {
    const sql = pooledSql(this.sequelize);
    const due: number[] = [];
    for await (const ids of companyPages(sql)) due.push(...(await companiesWithDue(sql, queue, this.clock.now(), ids)));
    const share = Math.max(OF_EACH_COMPANY, Math.ceil(MOST_WAITING / due.length));
    let queued = 0;
    for (const companyId of due) {
      for (let left = share; left > 0; left -= BATCH) {
        if (!(await this.queues.hasRoom(queue, { companyId, isWaitedFor: false }))) break;
        const relayed = await this.relayBatch(dueOf(companyId, queue), Math.min(BATCH, left));
        queued += relayed.queued;
        if (relayed.found < BATCH) break;
      }
    }
    return queued;
  }

  /** Relays jobs that no worker runs, and sets when to check them next. */
  private async relayBatch(which: DueJobs, limit: number): Promise<{ found: number; queued: number }> {
    const now = this.clock.now();
    const due = await this.sequelize.transaction(async (transaction) => {
      const sql = transactionSql(transaction);
      const jobs = await lockDue(sql, which, now, limit);
      await setRelayAt(sql, jobs, new Date(now.getTime() + timing.againAfterMs));
      return jobs;
    });
    if (due.length === 0) return { found: 0, queued: 0 };
    const begun = performance.now();
    const queued = await this.queueMissing(due);
    await sleep(Math.min(LONGEST_PAUSE_MS, PAUSE_TIMES * (performance.now() - begun)));
    return { found: due.length, queued };
  }

  /** Queues those that are not in their queue, or delayed there by a wrong clock. Returns how many. */
  private async queueMissing(due: readonly JobRef[]): Promise<number> {
    const isQueued = await this.queues.areWaiting(due.map(({ queue, id }) => ({ queue, jobId: bullJobId(id) })));
    const missing = due.filter((_, index) => isQueued[index] !== true);
    const added = await Promise.all(missing.map((job) => this.add(job, { overdue: true })));
    const failed = missing.filter((_, index) => added[index] === false);
    await setRelayAt(pooledSql(this.sequelize), failed, this.clock.now());
    const leftSince = this.clock.now().getTime() - timing.graceMs;
    const leftBehind = missing.filter(({ availableAt }) => availableAt.getTime() <= leftSince).length;
    if (leftBehind > 0) this.log.info({ leftBehind, failed: failed.length }, 'queued jobs that were left behind');
    return missing.length - failed.length;
  }

  private async add(job: JobRef, { overdue = false } = {}): Promise<boolean> {
    const { queue, name, id, availableAt, companyId, isWaitedFor, requestId } = job;
    const flow = { companyId, isWaitedFor };
    const delayMs = Math.max(0, availableAt.getTime() - this.clock.now().getTime());
    try {
      await this.queues.add({ queue, name, jobId: bullJobId(id), data: { jobId: id, requestId }, delayMs, flow });
      if (overdue) await this.queues.promote(queue, bullJobId(id));
      return true;
    } catch (error) {
      this.notQueued.note({ err: error, jobId: id, requestId });
      return false;
    }
  }
}

/** By the primary keys, which the transaction holds: a claim locks the index of `id` first, and with that each would wait for the other. */
async function setRelayAt(sql: Sql, jobs: readonly Pick<JobRef, 'companyId' | 'id'>[], relayAt: Date): Promise<void> {
  if (jobs.length === 0) return;
  await sql.run(
    `UPDATE jobs FORCE INDEX (PRIMARY) SET relayAt = ? WHERE ${jobs.map(() => '(companyId = ? AND id = ?)').join(' OR ')}`,
    [toSqlTime(relayAt), ...jobs.flatMap(({ companyId, id }) => [companyId, id])],
  );
}
