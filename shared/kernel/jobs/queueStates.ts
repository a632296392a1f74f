import { jobQueueNames, queueNames, type QueueName } from '../../../config/queues';
import type { Sql } from '../database/sql';
import { pausedQueues } from './queuePauses';

/** A queue as `queues list` shows it. PDFs and scans of the calendar have no rows: their counts are 0. */
export interface QueueState {
  name: QueueName;
  paused: boolean;
  /** Since when it is paused. */
  since: Date | null;
  /** Due, and not started. */
  waiting: number;
  /** Due later. */
  scheduled: number;
  running: number;
  failed: number;
  uncertain: number;
  /** How long the oldest waiting job has been due; null when none waits. */
  oldestSeconds: number | null;
}

/** Returns the state of every queue. Counts all jobs that are not done. */
export async function queueStates(sql: Sql): Promise<QueueState[]> {
  const [counts, paused] = await Promise.all([countJobs(sql), pausedQueues(sql)]);
  return queueNames.map((name) => ({
    name,
    paused: paused.has(name),
    since: paused.get(name) ?? null,
    ...(counts.get(name) ?? { waiting: 0, scheduled: 0, running: 0, failed: 0, uncertain: 0, oldestSeconds: null }),
  }));
}

type Counts = Omit<QueueState, 'name' | 'paused' | 'since'>;

async function countJobs(sql: Sql): Promise<Map<QueueName, Counts>> {
  const rows = await sql.rows<Record<keyof Counts, string | null> & { queue: QueueName }>(
    `SELECT queue, SUM(status = 'pending' AND availableAt <= UTC_TIMESTAMP(3)) AS waiting,
        SUM(status = 'pending' AND availableAt > UTC_TIMESTAMP(3)) AS scheduled, SUM(status = 'running') AS running,
        SUM(status = 'failed') AS failed, SUM(status = 'uncertain') AS uncertain,
        GREATEST(0, TIMESTAMPDIFF(MICROSECOND, MIN(IF(status = 'pending', availableAt, NULL)), UTC_TIMESTAMP(3))) / 1000000 AS oldestSeconds
       FROM jobs WHERE queue IN (${jobQueueNames.map((name) => `'${name}'`).join(', ')})
         AND status IN ('pending', 'running', 'failed', 'uncertain') GROUP BY queue`,
  );
  return new Map(
    rows.map(({ queue, oldestSeconds, ...sums }) => {
      const count = (name: keyof typeof sums): number => Number(sums[name]);
      const [waiting, scheduled, running] = [count('waiting'), count('scheduled'), count('running')];
      const oldest = waiting === 0 || oldestSeconds === null ? null : Math.round(Number(oldestSeconds) * 10) / 10;
      return [
        queue,
        { waiting, scheduled, running, failed: count('failed'), uncertain: count('uncertain'), oldestSeconds: oldest },
      ];
    }),
  );
}
