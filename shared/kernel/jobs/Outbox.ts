import type { Sequelize } from 'sequelize-typescript';
import { relay as timing } from '../../../config/queues';
import type { Clock } from '../clock';
import { isSoon } from './relayTimes';
import { fromSqlTime, pooledSql, toSqlTime, transactionSql, type Sql } from '../database/sql';
import type { JobRef } from '../database/unitOfWork';
import type { Logger } from '../log';
import { OccasionalWarning, untilRepaired } from '../OccasionalWarning';
import type { JobQueues } from '../queues/JobQueues';

export const bullJobId = (jobId: number): string => `job-${jobId}`;

const BATCH = 500;
/** Of one call. A backlog that waits in the queues is looked at as well, so this bounds what it costs. */
const MOST_BATCHES = 20;

/** Moves recorded jobs from MySQL to the queues. Relaying twice is harmless: `runJob` claims the row. */
export class Outbox {
  private readonly relaying = new Map<number, Promise<boolean>>();
  private readonly notQueued: OccasionalWarning;

  constructor(
    private readonly sequelize: Sequelize,
    private readonly queues: JobQueues,
    private readonly clock: Clock,
    private readonly log: Logger,
  ) {
    this.notQueued = new OccasionalWarning(log, 'a job waits in MySQL for its queue', untilRepaired);
  }

  /**
   * Queues a job whose row is committed, unless it is due later than soon. Returns false when Redis is unreachable:
   * {@link relayDue} does it later, and queues what becomes due. Never throws.
   */
  relay(job: JobRef): Promise<boolean> {
    if (!isSoon(job.availableAt, this.clock.now())) return Promise.resolve(true);
    const relay = this.add(job).finally(() => this.relaying.delete(job.id));
    this.relaying.set(job.id, relay);
    return relay;
  }

  /** False when Redis is unreachable or the relay of the job has just failed, so that waiting for it is no use now. */
  async isQueued(jobId: number): Promise<boolean> {
    const relayed = await this.relaying.get(jobId);
    return relayed ?? this.queues.isConnected;
  }

  /**
   * Queues what is due and not queued: jobs that waited in MySQL until they were due, and those left behind (a crash between commit
   * and add, Redis down or flushed, a worker that died). Any number of processes may do so at the same time. Returns how many
   * were queued. Jobs of a paused queue follow when it is resumed.
   */
  async relayDue(): Promise<number> {
    let queued = 0;
    for (let batch = 0; batch < MOST_BATCHES; batch++) {
      const due = await this.takeDue();
      if (due.length > 0) queued += await this.queueMissing(due);
      if (due.length < BATCH) break;
    }
    return queued;
  }

  /** The due jobs that no worker runs, to be looked at again after a while. */
  private async takeDue(): Promise<JobRef[]> {
    const now = this.clock.now();
    const rows = await this.sequelize.transaction(async (transaction) => {
      const sql = transactionSql(transaction);
      const due = await sql.rows<Omit<JobRef, 'availableAt' | 'isWaitedFor'> & { availableAt: string }>(
        `SELECT companyId, id, name, queue, availableAt, requestId FROM jobs
          WHERE status IN ('pending', 'running') AND relayAt <= ? AND (leaseUntil IS NULL OR leaseUntil < ?)
          ORDER BY relayAt LIMIT ${BATCH} FOR UPDATE SKIP LOCKED`,
        [toSqlTime(now), toSqlTime(now)],
      );
      await setRelayAt(sql, due, new Date(now.getTime() + timing.againAfterMs));
      return due;
    });
    return rows.map((row) => ({ ...row, availableAt: fromSqlTime(row.availableAt), isWaitedFor: false }));
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

/**
 * Finds the rows by the primary key. A claim locks a row's entry in the index of `id` before its primary key, and this transaction holds
 * the primary keys: with the index of `id`, each would wait for the other.
 */
async function setRelayAt(sql: Sql, jobs: readonly Pick<JobRef, 'companyId' | 'id'>[], relayAt: Date): Promise<void> {
  if (jobs.length === 0) return;
  await sql.run(
    `UPDATE jobs FORCE INDEX (PRIMARY) SET relayAt = ? WHERE ${jobs.map(() => '(companyId = ? AND id = ?)').join(' OR ')}`,
    [toSqlTime(relayAt), ...jobs.flatMap(({ companyId, id }) => [companyId, id])],
  );
}
