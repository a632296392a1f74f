import type { JobQueueName } from '../../../config/queues';
import { type SqlText, toSqlTime } from '../db';

export const jobStatuses = ['pending', 'running', 'done', 'failed', 'uncertain'] as const;
/** `uncertain`: the outcome at the provider cannot be known. The job is not retried automatically. */
export type JobStatus = (typeof jobStatuses)[number];

/** States in which jobs are counted. `waiting` is due and has not started, `scheduled` is due later. */
export const jobStates = ['waiting', 'scheduled', 'running', 'failed', 'uncertain'] as const;
export type JobState = (typeof jobStates)[number];

/** The condition for the jobs of a queue in a state. The index `jobs_by_state` has its columns, in this order. */
export function inState(queue: JobQueueName, state: JobState | 'done', now: Date): SqlText {
  const text = 'queue = ? AND status = ?';
  if (state === 'waiting') return { text: `${text} AND availableAt <= ?`, values: [queue, 'pending', toSqlTime(now)] };
  if (state === 'scheduled') return { text: `${text} AND availableAt > ?`, values: [queue, 'pending', toSqlTime(now)] };
  return { text, values: [queue, state] };
}

/** Returns the state of a job at `now`. */
export function stateOf(
  { status, availableAt }: { status: JobStatus; availableAt: Date },
  now: Date,
): JobState | 'done' {
  if (status !== 'pending') return status;
  return availableAt <= now ? 'waiting' : 'scheduled';
}
