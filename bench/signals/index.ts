import { loadConfig } from '../../config/env';
import { median } from '../../dev/measuring/median';
import { serveTasks } from '../../dev/tasks/serveTasks';
import { firstDueJobs } from '../../shared/engine/jobs/dueJobs';
import { JobCounts } from '../../shared/engine/jobs/JobCounts';
import { createLogger } from '../../shared/engine/log/log';
import { openServices } from '../../shared/openServices';
import type { Sample } from '../measuring/Sample';

/** Reads the signals of the queue `email` from MySQL, one time after another for the given seconds. */
export interface SignalsTask {
  variables: Readonly<Record<string, string>>;
  /** How many jobs must be found. */
  waiting: number;
  seconds: number;
}

interface Opened {
  read: () => Promise<number | undefined>;
}

const opened = new Map<string, Opened>();

serveTasks(async ({ variables, waiting, seconds }: SignalsTask): Promise<Sample> => {
  const { read } = open(variables);
  const times: number[] = [];
  for (const started = performance.now(); performance.now() - started < seconds * 1000;) {
    const before = performance.now();
    const found = await read();
    times.push(performance.now() - before);
    if (found !== waiting) throw new Error(`${found} jobs were counted, not ${waiting}`);
  }
  const p50Ms = median(times);
  const slowest = times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? null;
  return { perSecond: 1000 / p50Ms, p50Ms, p99Ms: slowest, done: times.length };
});

function open(variables: Readonly<Record<string, string>>): Opened {
  const url = variables['DATABASE_URL'] ?? '';
  const known = opened.get(url);
  if (known !== undefined) return known;
  const { sql } = openServices({ config: loadConfig(variables), log: createLogger('warn', 'bench'), listenTo: [] });
  const counts = new JobCounts(sql, ['email']);
  const read = async (): Promise<number | undefined> => {
    const now = new Date();
    const [counted] = await Promise.all([counts.read(now), firstDueJobs(sql, ['email'], now, 20)]);
    return counted.get('email')?.waiting;
  };
  opened.set(url, { read });
  return { read };
}
