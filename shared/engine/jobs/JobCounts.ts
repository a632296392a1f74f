import { jobQueueNames, type JobQueueName } from '../../../config/queues';
import type { Sql } from '../db';
import { inState, jobStates, type JobState } from './jobStates';

/** How many jobs of a queue are in each state. */
export type StateCounts = Record<JobState, number>;

/** Up to this many jobs of one queue and state are counted each time, in 2 to 3 ms. */
const ALWAYS_COUNTED = 10_000;
/** A larger count is repeated after this many times the time that it took, so that it takes 1 % of a core of MySQL. */
const PAUSE_FACTOR = 100;
/** A larger count that is older than this is counted again before it is returned. */
const OLDEST_MS = 60_000;

interface Group {
  queue: JobQueueName;
  state: JobState;
}

const groups: readonly Group[] = jobQueueNames.flatMap((queue) => jobStates.map((state) => ({ queue, state })));

interface Counted {
  total: number;
  /** When the count began, by `performance.now()`. */
  at: number;
  tookMs: number;
}

/**
 * Counts the jobs of MySQL by queue and state. The statement reads the index `jobs_by_state` only, and in it only jobs that are not done,
 * so finished jobs cost nothing.
 *
 * Counting takes 0.2 to 0.3 µs for each index entry: up to 30 ms for a backlog of 100,000 jobs. So a count above {@link ALWAYS_COUNTED} is
 * repeated in the background, at intervals that grow with the time that it takes, and the last one is returned meanwhile. Every number was
 * exact when it was counted: those up to 10,000 now, larger ones at most a minute ago.
 *
 * Totals that each write updates, as lists have them, would be two more statements in the transactions of every job, on rows that all jobs
 * share.
 */
export class JobCounts {
  private readonly last = new Map<Group, Counted>();
  private readonly recounts = new Map<Group, Promise<void>>();

  constructor(private readonly sql: Sql) {}

  /** Returns the counts as of `now`. @throws when MySQL is unreachable. */
  async read(now: Date): Promise<Map<JobQueueName, StateCounts>> {
    const totalOf = (group: Group): number => this.last.get(group)?.total ?? 0;
    const isLarge = (group: Group): boolean => totalOf(group) > ALWAYS_COUNTED;
    const small = groups.filter((group) => !isLarge(group));
    await Promise.all([this.count(small, now), ...groups.filter(isLarge).map((group) => this.refresh(group, now))]);
    const countsOf = (name: JobQueueName): [state: JobState, total: number][] =>
      groups.filter(({ queue }) => queue === name).map((group) => [group.state, totalOf(group)]);
    return new Map(jobQueueNames.map((queue) => [queue, Object.fromEntries(countsOf(queue)) as StateCounts]));
  }

  private async refresh(group: Group, now: Date): Promise<void> {
    const { at = 0, tookMs = 0 } = this.last.get(group) ?? {};
    const age = performance.now() - at;
    if (age < tookMs * PAUSE_FACTOR) return;
    const counting = this.recounts.get(group) ?? this.count([group], now).finally(() => this.recounts.delete(group));
    this.recounts.set(group, counting);
    if (age >= OLDEST_MS) await counting;
    // No caller waits for this count. If MySQL is unreachable, another count of the same call fails with the reason.
    else counting.catch(() => undefined);
  }

  private async count(groups: readonly Group[], now: Date): Promise<void> {
    if (groups.length === 0) return;
    const wanted = groups.map(({ queue, state }) => inState(queue, state, now));
    const at = performance.now();
    const [row] = await this.sql.rows<Record<string, number>>(
      `SELECT ${wanted.map(({ text }, index) => `(SELECT COUNT(*) FROM jobs WHERE ${text}) AS count${index}`).join(', ')}`,
      wanted.flatMap(({ values }) => values),
    );
    const tookMs = performance.now() - at;
    groups.forEach((group, index) => this.last.set(group, { total: row?.[`count${index}`] ?? 0, at, tookMs }));
  }
}
