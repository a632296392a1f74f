import type { EntryOutcome, QueueEntry } from '../../../workers/jobs/ServedQueue';
import { WorkerPool } from '../../../workers/jobs/WorkerPool';
import { eventually } from '../../support/eventually';
import { atEnd, openTestServices } from '../../support/installation';

test('an entry that is put off for 25 ms › the worker waits for parts of a second, not for a whole one', async () => {
  const services = await openTestServices();
  const monitor = await services.queues.redis.duplicate().monitor();
  atEnd(() => monitor.disconnect());
  const waits: number[] = [];
  monitor.on('monitor', (_time: string, [command, key = '', timeout]: string[]) => {
    if (command?.toLowerCase() === 'bzpopmin' && key.startsWith(services.config.redisPrefix))
      waits.push(Number(timeout));
  });
  let starts = 0;
  const process = (_entry: QueueEntry): Promise<EntryOutcome> => {
    starts += 1;
    return Promise.resolve(starts === 1 ? { delayMs: 25 } : { done: null });
  };
  const pool = new WorkerPool(services, [{ queue: 'schedule', concurrency: 1, process }]);
  atEnd(() => pool.drain(1_000));
  await pool.waitUntilReady();
  await services.queues.add({ queue: 'schedule', name: 'scan', jobId: 'put-off', data: {} });
  await eventually(() => starts === 2);
  expect(waits.filter((seconds) => seconds <= 0.025)).not.toEqual([]);
});
