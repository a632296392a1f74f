import type { Transaction } from 'sequelize';
import type { Sequelize } from 'sequelize-typescript';
import { relay as timing } from '../../config/queues';
import type { Clock } from '../clock';
import { Job } from '../database/models';
import { toSqlTime, transactionSql } from '../database/sql';
import type { JobRef } from '../database/unitOfWork';
import type { Logger } from '../log';
import type { JobQueues } from '../queues/JobQueues';

export const bullJobId = (jobId: number): string => `job-${jobId}`;

const SWEEP_BATCH = 500;

/** Moves recorded jobs from MySQL to the queues. Relaying twice is harmless: `runJob` claims the row. */
export class Outbox {
  private readonly relaying = new Map<number, Promise<boolean>>();

  constructor(
    private readonly sequelize: Sequelize,
    private readonly queues: JobQueues,
    private readonly clock: Clock,
    private readonly log: Logger,
  ) {}

  /** Queues a job whose row is committed. Answers false when Redis is away: the sweep does it later. Never throws. */
  relay(job: JobRef): Promise<boolean> {
    const relay = this.add(job).finally(() => this.relaying.delete(job.id));
    this.relaying.set(job.id, relay);
    return relay;
  }

  /** False when Redis is away or the relay of the job has just failed, so that nobody needs to wait for it now. */
  async isQueued(jobId: number): Promise<boolean> {
    const relayed = await this.relaying.get(jobId);
    return relayed ?? this.queues.isConnected;
  }

  /**
   * Relays rows that were left behind: due and not taken up in time (a crash between commit and add, Redis down or
   * flushed), and running ones whose worker is gone. Any number of processes may sweep at once.
   * @returns how many rows were relayed.
   */
  async sweep(): Promise<number> {
    const now = this.clock.now();
    const rows = await this.sequelize.transaction(async (transaction) => {
      const left = await transactionSql(transaction).rows<Omit<JobRef, 'availableAt'>>(
        `SELECT companyId, id, name, queue FROM jobs
          WHERE status IN ('pending', 'running') AND relayAt <= ? AND (leaseUntil IS NULL OR leaseUntil < ?)
          ORDER BY relayAt LIMIT ${SWEEP_BATCH} FOR UPDATE SKIP LOCKED`,
        [toSqlTime(now), toSqlTime(now)],
      );
      await setRelayAt(left, new Date(now.getTime() + timing.againAfterMs), transaction);
      return left;
    });
    const relayed = await Promise.all(rows.map((row) => this.add({ ...row, availableAt: now }, { overdue: true })));
    const failed = rows.filter((_, index) => relayed[index] === false);
    await setRelayAt(failed, now);
    if (rows.length > 0) this.log.info({ found: rows.length, failed: failed.length }, 'relayed jobs left behind');
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
      this.log.warn({ err: error, jobId: id }, 'a job waits in MySQL for its queue');
      return false;
    }
  }
}

async function setRelayAt(jobs: readonly { id: number }[], relayAt: Date, transaction?: Transaction): Promise<void> {
  if (jobs.length === 0) return;
  await Job.update({ relayAt }, { where: { id: jobs.map(({ id }) => id) }, ...(transaction && { transaction }) });
}
