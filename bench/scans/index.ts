import { addDays, type DateOnly } from '../../shared/dates/dates';
import type { Services } from '../../shared/services';
import type { Scan } from '../../shared/recurrence';
import { runSchedules } from '../../shared/schedules';
import { median } from '../../dev/measuring/median';
import { openedServices } from '../measuring/openedServices';
import type { Sample } from '../measuring/Sample';
import { serveTasks } from '../../dev/tasks/serveTasks';

/** `all due`: one scan, with one date due in every series. `nothing due`: one scan after another for the given seconds. */
export type ScanTask =
  | { what: 'all due'; variables: Readonly<Record<string, string>> }
  | { what: 'nothing due'; variables: Readonly<Record<string, string>>; seconds: number };

let created = 0;

serveTasks(async (task: ScanTask) => {
  const services = openedServices(task.variables);
  return task.what === 'all due' ? rollAll(services) : scanRepeatedly(services, task.seconds);
});

/** Runs the worker's scan in this process, as of a day on which everything is due. */
async function rollAll(services: Services): Promise<Sample> {
  const [next] = await services.sql.rows<{ day: DateOnly }>(
    'SELECT nextDueDate AS day FROM expenses WHERE dueAt IS NOT NULL ORDER BY dueAt LIMIT 1',
  );
  const asOf = next?.day ?? null;
  if (asOf === null || addDays(asOf, 1) === null) throw new Error('there is no series');
  created = 0;
  const started = performance.now();
  await runSchedules(scanOf(services, asOf));
  const seconds = (performance.now() - started) / 1000;
  if (created === 0) throw new Error('nothing was due');
  return { perSecond: created / seconds, p50Ms: null, p99Ms: null, done: created };
}

async function scanRepeatedly(services: Services, seconds: number): Promise<Sample> {
  created = 0;
  const times: number[] = [];
  for (const started = performance.now(); performance.now() - started < seconds * 1000;) {
    const before = performance.now();
    await runSchedules(scanOf(services, null));
    times.push(performance.now() - before);
  }
  if (created > 0) throw new Error(`${created} occurrences were due where none should be`);
  const p50Ms = median(times);
  return { perSecond: 1000 / p50Ms, p50Ms, p99Ms: times.toSorted((a, b) => b - a)[0] ?? null, done: times.length };
}

function scanOf(services: Services, asOf: DateOnly | null): Scan {
  return {
    services,
    asOf,
    wait: false,
    observer: {
      created: () => void (created += 1),
      overdue: () => undefined,
      failed: (_subject, error) => {
        throw new Error('a series failed', { cause: error });
      },
    },
  };
}
