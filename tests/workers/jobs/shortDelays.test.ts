import { Redis } from 'ioredis';
import type { EntryOutcome, QueueEntry } from '../../../workers/jobs/ServedQueue';
import { WorkerPool } from '../../../workers/jobs/WorkerPool';
import { eventually } from '../../support/eventually';
import { atEnd, openTestServices } from '../../support/installation';

test('an entry that is put off for parts of a second › the worker does not round its wait up to a whole one', async () => {
  const services = await openTestServices();
  // Not by MONITOR: ioredis takes a line that arrives together with the reply to it for the reply to another command.
  const sent = jest.spyOn(Redis.prototype, 'sendCommand');
  const hasWaitedParts = (): boolean =>
    sent.mock.calls.some(([{ name, args }]) => name === 'bzpopmin' && !Number.isInteger(Number(args.at(-1))));
  let starts = 0;
  // On a slow machine a short delay is over before the worker waits for its end: then the next one is longer.
  const process = (_entry: QueueEntry): Promise<EntryOutcome> => {
    starts += 1;
    return Promise.resolve(hasWaitedParts() ? { done: null } : { delayMs: 25 * 2 ** starts });
  };
  const pool = new WorkerPool(services, [{ queue: 'schedule', concurrency: 1, process }]);
  atEnd(() => pool.drain(1_000));
  await pool.waitUntilReady();
  await services.queues.add({ queue: 'schedule', name: 'scan', jobId: 'put-off', data: {} });
  await eventually(hasWaitedParts);
});
