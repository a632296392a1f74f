import type { QueueName } from '../../../config/queues';
import { fromSqlTime, type Sql } from '../database/sql';

/** Pauses a queue for all workers, which honour it within 5 seconds. Returns since when it is paused. */
export async function pauseQueue(sql: Sql, queue: QueueName): Promise<Date> {
  await sql.run('INSERT IGNORE INTO queue_pauses (queue, pausedAt) VALUES (?, UTC_TIMESTAMP(3))', [queue]);
  return (await pausedQueues(sql)).get(queue) ?? pauseQueue(sql, queue);
}

/** Lets a queue run again. Returns false when it was not paused. */
export async function resumeQueue(sql: Sql, queue: QueueName): Promise<boolean> {
  const { affectedRows } = await sql.run('DELETE FROM queue_pauses WHERE queue = ?', [queue]);
  return affectedRows === 1;
}

/** Returns the paused queues, with the time of the pause. */
export async function pausedQueues(sql: Sql): Promise<Map<QueueName, Date>> {
  const rows = await sql.rows<{ queue: QueueName; pausedAt: string }>('SELECT queue, pausedAt FROM queue_pauses');
  return new Map(rows.map(({ queue, pausedAt }) => [queue, fromSqlTime(pausedAt)]));
}

/** For how long requests go by what was read last. */
const FRESH_MS = 2_000;

/** Tells requests whether waiting for a job is in vain. Reads the pauses at most every two seconds, however many requests wait. */
export class KnownPauses {
  private readAt = -Infinity;
  private known: Promise<ReadonlySet<QueueName>> = Promise.resolve(new Set());

  constructor(private readonly sql: Sql) {}

  /** Tests whether a queue is paused. False also while MySQL is unreachable: the request then waits as usual. */
  async has(queue: QueueName): Promise<boolean> {
    return (await this.paused()).has(queue);
  }

  /** Tests whether a recorded job has not started, and its queue is paused. False while MySQL is unreachable. */
  async holdBack(jobId: number): Promise<boolean> {
    const paused = await this.paused();
    if (paused.size === 0) return false;
    const text = "SELECT queue FROM jobs WHERE id = ? AND status = 'pending'";
    const [job] = await this.sql.rows<{ queue: QueueName }>(text, [jobId]).catch(() => []);
    return job !== undefined && paused.has(job.queue);
  }

  private paused(): Promise<ReadonlySet<QueueName>> {
    if (performance.now() - this.readAt > FRESH_MS) {
      this.readAt = performance.now();
      this.known = pausedQueues(this.sql).then(
        (found) => new Set(found.keys()),
        () => new Set(),
      );
    }
    return this.known;
  }
}
