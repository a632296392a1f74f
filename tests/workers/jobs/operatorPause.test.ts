import { setTimeout as sleep } from 'node:timers/promises';
import { relay } from '../../../config/queues';
import { pausedQueues, pauseQueue, resumeQueue } from '../../../shared/engine/jobs/queuePauses';
import { listWorkers } from '../../../shared/engine/jobs/workerRows';
import { Presence } from '../../../workers/jobs/Presence';
import { servedQueues } from '../../../workers/servedQueues';
import type { EntryOutcome, QueueEntry } from '../../../workers/jobs/ServedQueue';
import { WorkerPool } from '../../../workers/jobs/WorkerPool';
import { eventually } from '../../support/eventually';
import { atEnd } from '../../support/installation';
import { Effects, jobIdOf, type Subject } from '../../support/workers';

let effects: Effects;
beforeAll(async () => {
  effects = await Effects.start();
});
afterEach(async () => {
  for (const queue of (await pausedQueues(effects.services.sql)).keys()) await resumeQueue(effects.services.sql, queue);
});

/** A worker as a process starts it: it takes nothing before it has read what is paused. */
async function startWorker(): Promise<{ hasPaused: () => boolean; stop: () => Promise<void> }> {
  const { services, tools } = effects;
  const { config } = services;
  const worker = { ...config.worker, queues: ['payment-link'] as const };
  const served = { ...tools, services: { ...services, config: { ...config, worker } } };
  const pool = new WorkerPool(services, servedQueues(served, null), { waits: true });
  const read = jest.spyOn(pool, 'pauseOnly');
  const presence = new Presence(served.services, pool);
  await pool.waitUntilReady();
  presence.start();
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => (stopped ??= pool.drain(5_000).then(() => presence.stop()));
  atEnd(stop);
  return { hasPaused: () => read.mock.lastCall?.[0].has('payment-link') === true, stop };
}

const requestLink = ({ as, invoice }: Subject) =>
  as.post(`/api/invoices/${invoice.id}/create-gateway-invoice`).send({});
const ended = (jobId: number) =>
  eventually(async () => {
    const job = await effects.job(jobId);
    return job.endedAt !== null ? job : null;
  });

test('a paused queue › requests get 202 without waiting, no worker takes its jobs, not even one that starts later, and all run once it is resumed', async () => {
  const { sql } = effects.services;
  const first = await startWorker();
  const before = jobIdOf(
    await requestLink(await effects.invoice())
      .set('Prefer', 'respond-async')
      .expect(202),
  );
  expect((await ended(before)).status).toBe('done');

  await pauseQueue(sql, 'payment-link');
  await eventually(() => first.hasPaused());
  // The API goes by what it has read within the last two seconds.
  await eventually(() => effects.services.pauses.has('payment-link'));
  const waiting: number[] = [];
  for (let count = 0; count < 3; count++) waiting.push(jobIdOf(await requestLink(await effects.invoice()).expect(202)));
  // The worker was waiting for an entry, and BullMQ has handed it the first one: the gate has to put it back.
  const second = await startWorker();
  await eventually(async () => second.hasPaused() && (await listWorkers(sql)).length === 2);
  for (const id of waiting) expect(await effects.job(id)).toMatchObject({ status: 'pending', attempt: 0 });

  await resumeQueue(sql, 'payment-link');
  for (const id of waiting) expect(await ended(id)).toMatchObject({ status: 'done', attempt: 1 });
  await Promise.all([first.stop(), second.stop()]);
  expect(await listWorkers(sql)).toEqual([]);
});

test('the relay › does not look at the jobs of a paused queue until it is resumed', async () => {
  const { sql, outbox } = effects.services;
  const subject = await effects.invoice();
  const jobId = jobIdOf(await requestLink(subject).set('Prefer', 'respond-async').expect(202));
  effects.clock.moveOn(relay.graceMs + 1);
  await pauseQueue(sql, 'payment-link');
  const before = await effects.job(jobId);
  await outbox.relayDue();
  expect((await effects.job(jobId)).relayAt).toEqual(before.relayAt);
  await resumeQueue(sql, 'payment-link');
  await outbox.relayDue();
  expect((await effects.job(jobId)).relayAt).not.toEqual(before.relayAt);
});

test('a paused renderer › an e-mail request gets 202 without waiting, and its e-mail waits as long as the pause lasts', async () => {
  const { services, clock } = effects;
  await pauseQueue(services.sql, 'pdf');
  await eventually(() => services.pauses.has('pdf'));
  const { as, invoice } = await effects.invoice();
  const waited = jest.spyOn(services.jobEnds, 'wait');
  const jobId = jobIdOf(await as.post(`/api/invoices/${invoice.id}/send-email`).send({}).expect(202));
  expect(waited.mock.lastCall?.slice(0, 2)).toEqual([jobId, 0]);
  expect((await as.get(`/api/jobs/${jobId}`).expect(200)).body).toMatchObject({ status: 'pending', paused: true });

  // Longer than a PDF may take that is not paused, also after the pause.
  for (const hours of [1, 2]) {
    clock.moveOn(hours * 3_600_000);
    await eventually(
      async () => (await services.pauses.lastPaused('pdf'))!.getTime() >= clock.now().getTime() - 60_000,
    );
    const { nextRunAt } = (await effects.run(jobId)) as { nextRunAt: Date };
    clock.moveTo(nextRunAt);
    const { status, lastError } = await effects.job(jobId);
    expect([status, JSON.parse(lastError ?? '{}')]).toMatchObject([
      'pending',
      { message: 'the operator has paused the queue of PDFs' },
    ]);
  }
  await resumeQueue(services.sql, 'pdf');
  await eventually(async () => !(await services.pauses.has('pdf')));
  await effects.startPool(['pdf']);
  expect(await effects.runToEnd(jobId)).toMatchObject({ status: 'done', lastError: null });
});

test('a render that was put back because of a pause › does not count as started', async () => {
  const { services } = effects;
  const started: number[] = [];
  const process = ({ starts }: QueueEntry): Promise<EntryOutcome> => {
    started.push(starts);
    return Promise.resolve({ done: null });
  };
  const served = { queue: 'schedule', concurrency: 1, maxStarts: 1, process } as const;
  const pool = new WorkerPool(services, [served]);
  atEnd(() => pool.drain(1_000));
  await pool.waitUntilReady();
  const { queues } = services;
  const isPutBack = async (jobId: string) => ((await queues.entry('schedule', jobId))?.delay ?? 0) > 0;
  // Only a worker that waits for an entry as the pause begins gets one.
  for (let tries = 1, wasPutBack = false; !wasPutBack; tries++) {
    const jobId = `entry-${tries}`;
    await sleep(tries * 50);
    pool.pauseOnly(new Set(['schedule']));
    await queues.add({ queue: 'schedule', name: 'scan', jobId, data: {} });
    await sleep(tries * 50);
    wasPutBack = await isPutBack(jobId);
    pool.pauseOnly(new Set());
    await eventually(() => started.length === tries);
  }
  expect(new Set(started)).toEqual(new Set([1]));
});
