import { median } from '../../dev/measuring/median';
import { serveTasks } from '../../dev/tasks/serveTasks';
import { firstDueJobs } from '../../shared/engine/jobs/dueJobs';
import { JobCounts } from '../../shared/engine/jobs/JobCounts';
import { openedServices } from '../measuring/openedServices';
import type { Sample } from '../measuring/Sample';

/** Reads the signals of the queue `email` from MySQL, one time after another for the given seconds. */
export interface SignalsTask {
  variables: Readonly<Record<string, string>>;
  /** How many jobs must be found. */
  waiting: number;
  seconds: number;
}

/** Counters cache large counts, as those of a process do. */
const counters = new Map<string, JobCounts>();

serveTasks(async ({ variables, waiting, seconds }: SignalsTask): Promise<Sample> => {
  const { sql } = openedServices(variables);
  const url = variables['DATABASE_URL'] ?? '';
  const counts = counters.get(url) ?? new JobCounts(sql, ['email']);
  counters.set(url, counts);
  const times: number[] = [];
  for (const started = performance.now(); performance.now() - started < seconds * 1000;) {
    const before = performance.now();
    const now = new Date();
    const [counted] = await Promise.all([counts.read(now), firstDueJobs(sql, ['email'], now, 20)]);
    times.push(performance.now() - before);
    const found = counted.get('email')?.waiting;
    if (found !== waiting) throw new Error(`${found} jobs were counted, not ${waiting}`);
  }
  const p50Ms = median(times);
  const slowest = times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? null;
  return { perSecond: 1000 / p50Ms, p50Ms, p99Ms: slowest, done: times.length };
});
