import { queueNames, type JobQueueName, type QueueName } from '../../../config/queues';
import type { Sql } from '../db';
import { firstDueJobs, type DueJob } from './dueJobs';
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

/** The state of every queue as far as MySQL knows it, and the first due jobs of each. */
export interface QueueRows {
  readonly states: ReadonlyMap<QueueName, QueueState>;
  readonly due: readonly DueJob[];
}

/** The counts of a queue whose server is not asked, or unreachable. */
export const unknown = { waiting: null, scheduled: null, running: null, failed: null, uncertain: null };

/** Returns the state of every queue, without Redis. */
export async function queueStates(sql: Sql, now: Date, counters: readonly QueueCounter[]): Promise<QueueState[]> {
  const { states } = await readQueueRows(sql, now, counters, new JobCounts(sql), 1);
  return [...states.values()];
}

/** Reads the state of every queue, with at most `limit` due jobs of each. */
export async function readQueueRows(
  sql: Sql,
  now: Date,
  counters: readonly QueueCounter[],
  jobCounts: JobCounts,
  limit: number,
): Promise<QueueRows> {
  const [counts, due, paused, ofCounters] = await Promise.all([
    jobCounts.read(now),
    firstDueJobs(sql, now, limit),
    pausedQueues(sql),
    Promise.all(counters.map(async ({ queue, count }) => [queue, await count(sql, now)] as const)),
  ]);
  const counted = new Map(ofCounters);
  const oldestJobOf = (name: QueueName): Date | null => {
    const times = due.filter(({ queue }) => queue === name).map(({ dueAt }) => dueAt.getTime());
    return times.length === 0 ? null : new Date(Math.min(...times));
  };
  const stateOf = (name: QueueName): QueueState => {
    const { oldest = oldestJobOf(name), ...others } = counted.get(name) ?? {};
    return {
      name,
      paused: paused.has(name),
      since: paused.get(name) ?? null,
      ...(counts.get(name as JobQueueName) ?? unknown),
      ...others,
      oldestSeconds: oldest && secondsSince(oldest, now),
    };
  };
  return { states: new Map(queueNames.map((name) => [name, stateOf(name)])), due };
}

/** Returns the seconds since a time; 0 for a time to come. */
export function secondsSince(time: Date, now: Date): number {
  return Math.max(0, now.getTime() - time.getTime()) / 1_000;
}
