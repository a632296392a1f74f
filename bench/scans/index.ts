import { loadConfig } from '../../config/env';
import type { DateOnly } from '../../shared/dates/dates';
import { createLogger } from '../../shared/engine/log/log';
import { openServices } from '../../shared/openServices';
import { runSchedules } from '../../shared/schedules';
import type { Services } from '../../shared/services';
import type { Sample } from '../measuring/Sample';
import { serveTasks } from '../../dev/tasks/serveTasks';

/** Runs the worker's scan in this process, as of the next day on which a series is due. */
export interface ScanTask {
  variables: Readonly<Record<string, string>>;
}

let services: Services | undefined;

serveTasks(async ({ variables }: ScanTask): Promise<Sample> => {
  services ??= openServices({ config: loadConfig(variables), log: createLogger('warn', 'bench'), listenTo: [] });
  const [next] = await services.sql.rows<{ day: DateOnly }>(
    'SELECT nextDueDate AS day FROM expenses WHERE dueAt IS NOT NULL ORDER BY dueAt LIMIT 1',
  );
  if (next === undefined) throw new Error('there is no series');
  let created = 0;
  const started = performance.now();
  await runSchedules({
    services,
    asOf: next.day,
    wait: false,
    observer: {
      created: () => void (created += 1),
      overdue: () => undefined,
      failed: (_subject, error) => {
        throw new Error('a series failed', { cause: error });
      },
    },
  });
  const seconds = (performance.now() - started) / 1000;
  if (created === 0) throw new Error('nothing was due');
  return { perSecond: created / seconds, p50Ms: null, p99Ms: null, done: created };
});
