import type { QueueName } from '../../../config/queues';
import type { Sql } from '../db';
import type { StateCounts } from './JobCounts';

/** The waiting work of a queue. */
export interface QueueCount extends StateCounts {
  /** When the oldest due job that has not started was due; null for none. */
  readonly oldest: Date | null;
}

/** Counts the work of a queue that stands in tables of its own in MySQL. */
export interface QueueCounter {
  readonly queue: QueueName;
  readonly count: (sql: Sql, now: Date) => Promise<QueueCount>;
}
