import { jobQueueNames, queueNames, type JobQueueName, type QueueName } from '../../../config/queues';
import type { Sql } from '../db';
import { firstDueJobs } from './dueJobs';
import { JobCounts } from './JobCounts';
import type { JobState } from './jobStates';
import type { QueueCounter } from './QueueCounter';
import { pausedQueues } from './queuePauses';

/** A queue as `queues list` shows it. Null for PDFs and scans of the calendar, which have no rows in MySQL. */
export type QueueState = {
  name: QueueName;
  paused: boolean;
  /** Since when it is paused. */
  since: Date | null;
  /** How long the oldest waiting job has been due; null when none waits. */
  oldestSeconds: number | null;
} & Record<JobState, number | null>;

/** Returns the state of every queue, without Redis. */
export async function queueStates(sql: Sql, now: Date, counters: readonly QueueCounter[]): Promise<QueueState[]> {
  const counts = await new JobCounts(sql, jobQueueNames).read(now);
  const due = await firstDueJobs(sql, jobQueueNames, now, 1);
  const paused = await pausedQueues(sql);
  const counted = new Map(
    await Promise.all(counters.map(async ({ queue, count }) => [queue, await count(sql, now)] as const)),
  );
  const unknown = { waiting: null, scheduled: null, running: null, failed: null, uncertain: null };
  return queueNames.map((name) => {
    const { oldest = due.find(({ queue }) => queue === name)?.dueAt ?? null, ...others } = counted.get(name) ?? {};
    return {
      name,
      paused: paused.has(name),
      since: paused.get(name) ?? null,
      ...(counts.get(name as JobQueueName) ?? unknown),
      ...others,
      oldestSeconds: oldest && (now.getTime() - oldest.getTime()) / 1_000,
    };
  });
}
