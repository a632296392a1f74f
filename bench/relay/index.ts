import { once } from 'node:events';
import { median } from '../../dev/measuring/median';
import { serveTasks } from '../../dev/tasks/serveTasks';
import type { Services } from '../../shared/services';
import { openedServices } from '../measuring/openedServices';
import type { Sample } from '../measuring/Sample';

/** Relays due jobs to their empty queues, one call after another for the given seconds. Measures the jobs of a second. */
export interface RelayTask {
  variables: Readonly<Record<string, string>>;
  /** How many jobs a call must queue. */
  queued: number;
  seconds: number;
}

serveTasks(async ({ variables, queued, seconds }: RelayTask): Promise<Sample> => {
  const services = openedServices(variables);
  const times: number[] = [];
  for (const started = performance.now(); performance.now() - started < seconds * 1000 || times.length === 0;) {
    await undoRelay(services);
    const before = performance.now();
    const relayed = await services.outbox.relayDue();
    times.push(performance.now() - before);
    if (relayed !== queued) throw new Error(`${relayed} jobs were queued, not ${queued}`);
  }
  const p50Ms = median(times);
  return { perSecond: (queued * 1000) / p50Ms, p50Ms, p99Ms: null, done: times.length * queued };
});

/** Empties the queues, and makes what was relayed due again. */
async function undoRelay({ sql, queues, config }: Services): Promise<void> {
  if (!queues.isConnected) await once(queues.redis, 'ready');
  const keys = await queues.redis.keys(`${config.redisPrefix}:*`);
  for (let from = 0; from < keys.length; from += 1_000) await queues.redis.unlink(keys.slice(from, from + 1_000));
  await sql.run(
    'UPDATE jobs FORCE INDEX (jobs_to_relay_by_queue) SET relayAt = availableAt WHERE queue = ? AND status = ? AND relayAt > UTC_TIMESTAMP(3)',
    ['email', 'pending'],
  );
}
