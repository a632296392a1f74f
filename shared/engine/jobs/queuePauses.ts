import type { QueueName } from '../../../config/queues';
import type { Clock } from '../clock';
import { fromSqlTime, type Sql } from '../db';
import type { Job } from './Job';
import type { JobContracts } from './JobContract';

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

/**
 * Tests whether a job cannot end as long as these queues are paused: its own, before it has started, or one whose work it needs.
 */
export function isHeldBack(
  { queue, name, status }: Pick<Job, 'queue' | 'name' | 'status'>,
  contracts: JobContracts,
  paused: { has(queue: QueueName): boolean },
): boolean {
  if (status !== 'pending' && status !== 'running') return false;
  const needs = contracts[name]?.needs ?? [];
  return (status === 'pending' && paused.has(queue)) || needs.some((needed) => paused.has(needed));
}

/** For how long requests use the cached pauses. */
const FRESH_MS = 2_000;

/** Tests whether waiting for a job is useless, because a queue is paused. Reads the pauses at most every two seconds. */
export class KnownPauses {
  private readAt = -Infinity;
  private known: Promise<ReadonlySet<QueueName>> = Promise.resolve(new Set());
  private readonly pausedAt = new Map<QueueName, Date>();

  constructor(
    private readonly sql: Sql,
    private readonly contracts: JobContracts,
    private readonly clock: Clock,
  ) {}

  /** Tests whether a queue is paused. False also while MySQL is unreachable: the request then waits as usual. */
  async has(queue: QueueName): Promise<boolean> {
    return (await this.paused()).has(queue);
  }

  /** Returns when this process last saw the queue paused: about now while it is paused, null for never. */
  async lastPaused(queue: QueueName): Promise<Date | null> {
    await this.paused();
    return this.pausedAt.get(queue) ?? null;
  }

  /** Tests whether a recorded job cannot end now, because a queue is paused. False while MySQL is unreachable. */
  async holdBack(jobId: number): Promise<boolean> {
    const paused = await this.paused();
    if (paused.size === 0) return false;
    const text = "SELECT queue, name, status FROM jobs WHERE id = ? AND status IN ('pending', 'running')";
    const [job] = await this.sql.rows<Pick<Job, 'queue' | 'name' | 'status'>>(text, [jobId]).catch(() => []);
    return job !== undefined && isHeldBack(job, this.contracts, paused);
  }

  /** {@link isHeldBack}, with the cached pauses. */
  async hold(job: Pick<Job, 'queue' | 'name' | 'status'>): Promise<boolean> {
    return isHeldBack(job, this.contracts, await this.paused());
  }

  private paused(): Promise<ReadonlySet<QueueName>> {
    if (performance.now() - this.readAt > FRESH_MS) {
      this.readAt = performance.now();
      this.known = pausedQueues(this.sql).then(
        (found) => {
          for (const queue of found.keys()) this.pausedAt.set(queue, this.clock.now());
          return new Set(found.keys());
        },
        () => new Set(),
      );
    }
    return this.known;
  }
}
