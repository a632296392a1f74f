import type { EntryOutcome, QueueEntry } from '../../../workers/jobs/ServedQueue';
import { WorkerPool } from '../../../workers/jobs/WorkerPool';
import { eventually } from '../../support/eventually';
import { atEnd, openTestServices } from '../../support/installation';
import { collectLines } from '../../support/logLines';

const { log, lines } = collectLines('warn');

test('an entry whose lock has ended › is run by another worker, and both say what happened', async () => {
  const services = await openTestServices({ log });
  const started: QueueEntry[] = [];
  let end: (outcome: EntryOutcome) => void = () => undefined;
  const process = (entry: QueueEntry): Promise<EntryOutcome> => {
    started.push(entry);
    // The first run goes on until the second one has ended, as in a process that was suspended.
    return started.length > 1 ? Promise.resolve({ done: null }) : new Promise((resolve) => (end = resolve));
  };
  const open = async (): Promise<void> => {
    const pool = new WorkerPool(services, [{ queue: 'schedule', concurrency: 1, process }]);
    atEnd(() => pool.drain(1_000));
    await pool.waitUntilReady();
  };
  await open();
  const { queues, config } = services;
  await queues.add({ queue: 'schedule', name: 'scan', jobId: 'slow', data: { requestId: 'order-7', companyId: 42 } });
  await eventually(() => started.length === 1);
  await open();
  const lock = `${config.redisPrefix}:schedule:slow:lock`;
  // Again and again, since the first worker renews it.
  await eventually(async () => {
    await queues.redis.del(lock);
    return started.length === 2;
  });
  const died = { queue: 'schedule', jobId: 'slow', requestId: 'order-7', companyId: 42 };
  await eventually(() => lines.some(({ msg }) => msg === 'a job is run again: its worker has died'));
  expect(lines.find(({ msg }) => msg === 'a job is run again: its worker has died')).toMatchObject(died);
  await eventually(async () => (await queues.entry('schedule', 'slow')) === null);
  end({ done: null });
  const lost = /^a queue has taken jobs back from this worker/;
  await eventually(() => lines.some(({ msg }) => lost.test(msg)));
  expect(lines.map(({ msg }) => msg)).not.toContain('Redis cannot be reached');
});
