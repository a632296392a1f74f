import type { Transaction } from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';
import { jobQueueNames, relay as timing } from '../../../config/queues';
import type { Clock } from '../clock';
import { Job } from './Job';
import { placeholders, toSqlTime, transactionSql } from '../database/sql';
import { pausedQueues } from './queuePauses';
import type { JobRef } from '../database/unitOfWork';
import type { Logger } from '../log';
import { OccasionalWarning, untilRepaired } from '../OccasionalWarning';
import type { JobQueues } from '../queues/JobQueues';

export const bullJobId = (jobId: number): string => `job-${jobId}`;

const BATCH = 500;

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

  /** Queues a job whose row is committed. Returns false when Redis is unreachable: {@link relayLeftBehind} does it later. Never throws. */
  relay(job: JobRef): Promise<boolean> {
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
   * Relays rows that were left behind: due and not claimed in time (a crash between commit and add, Redis down or flushed),
   * and running ones whose worker has died. Any number of processes may do so at the same time. Returns how many were relayed.
   * Jobs of a paused queue are relayed once it is resumed.
   */
  async relayLeftBehind(): Promise<number> {
    const now = this.clock.now();
    const rows = await this.sequelize.transaction(async (transaction) => {
      const sql = transactionSql(transaction);
      const paused = await pausedQueues(sql);
      const queues = jobQueueNames.filter((queue) => !paused.has(queue));
      if (queues.length === 0) return [];
      const left = await sql.rows<Omit<JobRef, 'availableAt'>>(
        `SELECT companyId, id, name, queue FROM jobs
          WHERE queue IN (${placeholders(queues.length)}) AND status IN ('pending', 'running') AND relayAt <= ? AND (leaseUntil IS NULL OR leaseUntil < ?)
          ORDER BY relayAt LIMIT ${BATCH} FOR UPDATE SKIP LOCKED`,
        [...queues, toSqlTime(now), toSqlTime(now)],
      );
      await setRelayAt(left, new Date(now.getTime() + timing.againAfterMs), transaction);
      return left;
    });
    const relayed = await Promise.all(rows.map((row) => this.add({ ...row, availableAt: now }, { overdue: true })));
    const failed = rows.filter((_, index) => relayed[index] === false);
    await setRelayAt(failed, now);
    if (rows.length > failed.length)
      this.log.info({ found: rows.length, failed: failed.length }, 'relayed jobs left behind');
    return rows.length - failed.length;
  }

  private async add(job: JobRef, { overdue = false } = {}): Promise<boolean> {
    const { queue, name, id, availableAt } = job;
    const delayMs = Math.max(0, availableAt.getTime() - this.clock.now().getTime());
    try {
      await this.queues.add({ queue, name, jobId: bullJobId(id), data: { jobId: id }, delayMs });
      if (overdue) await this.queues.promote(queue, bullJobId(id));
      return true;
    } catch (error) {
      this.notQueued.note({ err: error, jobId: id });
      return false;
    }
  }
}

async function setRelayAt(jobs: readonly { id: number }[], relayAt: Date, transaction?: Transaction): Promise<void> {
  if (jobs.length === 0) return;
  await Job.update({ relayAt }, { where: { id: jobs.map(({ id }) => id) }, ...(transaction && { transaction }) });
}
