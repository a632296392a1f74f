import type { QueueName } from '../../../config/queues';
import type { Sql } from '../db';
import type { StateCounts } from './JobCounts';

/** What waits in a queue at a time. */
export interface QueueCount extends StateCounts {
  /** When the oldest that is due and has not started was due; null if none is. */
  readonly oldest: Date | null;
}

/** Counts the work of a queue that stands in tables of its own in MySQL. */
export interface QueueCounter {
  readonly queue: QueueName;
  readonly count: (sql: Sql, now: Date) => Promise<QueueCount>;
}
