import type { QueueName } from '../../config/queues';
import { metrics } from '../../shared/engine/metrics';
import type { EntryOutcome, QueueEntry } from './ServedQueue';

type Process = (entry: QueueEntry) => Promise<EntryOutcome>;

/** Measures the entries of a queue whose work has no row in MySQL; `runJob` measures the others. */
export function measureEntries(queue: QueueName, job: string, process: Process): Process {
  return async (entry) => {
    const started = performance.now();
    // A clock that is behind would make the time negative.
    const waitedMs = Math.max(0, Date.now() - entry.dueAt.getTime());
    if (entry.starts === 1) metrics.jobStartLatency.observe(waitedMs / 1000, queue);
    const outcome = await process(entry);
    metrics.jobDuration.observe((performance.now() - started) / 1000, job, labelOf(outcome));
    return outcome;
  };
}

function labelOf(outcome: EntryOutcome): string {
  if ('done' in outcome) return 'done';
  return 'failed' in outcome ? 'failed' : 'retried';
}
