import { queueNames } from '../../../../config/queues';
import { QueueSignals, type Signals } from '../../../../shared/engine/jobs/QueueSignals';
import { bullJobId } from '../../../../shared/engine/jobs/Outbox';
import { pauseQueue, resumeQueue } from '../../../../shared/engine/jobs/queuePauses';
import type { Services } from '../../../../shared/services';
import { queueCounters } from '../../../../shared/queueCounters';
import { createCompany } from '../../../support/factories';
import { openTestServices } from '../../../support/installation';
import { SetClock } from '../../../support/schedules';

const clock = new SetClock('2026-03-01T12:00:00Z');
let services: Services;
let companyId: number;

beforeAll(async () => {
  services = await openTestServices({ clock });
  ({ companyId } = await createCompany(services));
});
beforeEach(async () => {
  await services.sql.run('DELETE FROM jobs');
  for (const queue of ['email', 'payment-link', 'pdf', 'pdf-long', 'schedule'] as const) {
    const keys = await services.queues.redis.keys(`${services.config.redisPrefix}:${queue}:*`);
    if (keys.length > 0) await services.queues.redis.unlink(...keys);
  }
});

/** Adds rows as they are in MySQL, due `dueInS` seconds from now. Returns the id of the last. */
async function addJobs(count: number, queue: string, status: string, dueInS = 0): Promise<number> {
  const due = `DATE_ADD('2026-03-01 12:00:00.000', INTERVAL ${dueInS} SECOND)`;
  const row = `(${companyId}, 'sendInvoiceEmail', '${queue}', '{}', '${status}', 1, ${due}, ${due}, ${due}, ${due})`;
  const columns = 'companyId, name, queue, payload, status, maxAttempt, availableAt, relayAt, createdAt, updatedAt';
  let id = 0;
  for (let left = count; left > 0; left -= 500) {
    const rows = Array.from({ length: Math.min(left, 500) }, () => row).join(', ');
    id = (await services.sql.run(`INSERT INTO jobs (${columns}) VALUES ${rows}`)).insertId;
  }
  return id;
}

const read = (): Promise<Signals> => new QueueSignals(services, queueCounters).read();
const signalOf = async (name: string) => (await read()).queues.find((queue) => queue.name === name);
const nothing = { waiting: 0, scheduled: 0, running: 0, failed: 0, uncertain: 0, oldestSeconds: 0, paused: false };

describe('the signals of the queues', () => {
  test('nothing to do › zeros for every queue', async () => {
    expect(await read()).toEqual({
      queues: queueNames.map((name) => ({ name, ...nothing })),
      outboxLagSeconds: 0,
      reachable: { mysql: true, redis: true },
    });
  });

  test('jobs in every state › are counted by queue, those that are done are not', async () => {
    await addJobs(3, 'email', 'pending');
    await addJobs(1, 'email', 'pending', -90);
    await addJobs(2, 'email', 'pending', 1);
    await addJobs(4, 'email', 'running', -500);
    await addJobs(5, 'email', 'failed', -500);
    await addJobs(6, 'email', 'uncertain', -500);
    await addJobs(7, 'email', 'done', -500);
    await addJobs(1, 'payment-link', 'running');
    expect(await signalOf('email')).toEqual({
      ...{ name: 'email', waiting: 4, scheduled: 2, running: 4, failed: 5, uncertain: 6 },
      ...{ oldestSeconds: 90, paused: false },
    });
    expect(await signalOf('payment-link')).toEqual({ name: 'payment-link', ...nothing, running: 1 });
  });

  test('renders and scans › are counted in Redis, long renders with the others', async () => {
    const { queues, config } = services;
    const flow = { companyId: 1, isWaitedFor: true };
    await queues.add({ queue: 'pdf', name: 'r', jobId: 'b', data: {}, flow });
    await queues.add({ queue: 'pdf', name: 'r', jobId: 'a', data: {}, flow });
    await queues.redis.hset(`${config.redisPrefix}:pdf:a`, 'timestamp', Date.now() - 60_000);
    await queues.add({ queue: 'pdf-long', name: 'r', jobId: 'c', data: {}, flow });
    await queues.add({ queue: 'pdf-long', name: 'r', jobId: 'd', data: {}, delayMs: 60_000 });
    await queues.add({ queue: 'schedule', name: 'scan', jobId: 'scan-1', data: {} });
    const pdf = await signalOf('pdf');
    expect(pdf).toMatchObject({ waiting: 3, scheduled: 1, running: 0, failed: 0 });
    // The oldest one comes last in its queue.
    expect(pdf?.oldestSeconds).toBeGreaterThanOrEqual(60);
    expect(await signalOf('schedule')).toMatchObject({ waiting: 1, scheduled: 0 });
  });

  test('due jobs that are not in their queue › the age of the oldest is the lag of the outbox', async () => {
    const queued = await addJobs(1, 'email', 'pending', -300);
    await services.queues.add({ queue: 'email', name: 'j', jobId: bullJobId(queued), data: {} });
    expect((await read()).outboxLagSeconds).toBe(0);
    await addJobs(1, 'email', 'pending', -20);
    await addJobs(1, 'payment-link', 'pending', -30);
    await addJobs(1, 'email', 'running', -500);
    expect((await read()).outboxLagSeconds).toBe(30);
  });

  test('a queue that is paused › says so, and its jobs are no lag of the outbox', async () => {
    await addJobs(1, 'email', 'pending', -60);
    await addJobs(1, 'payment-link', 'pending', -10);
    await pauseQueue(services.sql, 'email');
    const { queues, outboxLagSeconds } = await read();
    await resumeQueue(services.sql, 'email');
    expect(queues.map(({ paused }) => paused)).toEqual([true, false, false, false, false, false]);
    expect(queues[0]).toMatchObject({ waiting: 1, oldestSeconds: 60 });
    expect(outboxLagSeconds).toBe(10);
    expect((await read()).outboxLagSeconds).toBe(60);
  });

  test('read often and concurrently › they are computed once in two seconds', async () => {
    let computed = 0;
    const sql: Services['sql'] = {
      ...services.sql,
      rows: (text, values) => {
        if (text.includes('AS count0')) computed += 1;
        return services.sql.rows(text, values);
      },
    };
    const signals = new QueueSignals({ ...services, sql }, queueCounters);
    jest.spyOn(performance, 'now').mockReturnValue(10_000);
    await Promise.all(Array.from({ length: 20 }, () => signals.read()));
    jest.spyOn(performance, 'now').mockReturnValue(11_999);
    await signals.read();
    expect(computed).toBe(1);
    jest.spyOn(performance, 'now').mockReturnValue(12_000);
    await signals.read();
    expect(computed).toBe(2);
  });

  test('a backlog above 10,000 › is counted exactly, then again in the background and not by every read', async () => {
    await addJobs(10_500, 'email', 'pending');
    const statements: string[] = [];
    const sql: Services['sql'] = {
      ...services.sql,
      rows: (text, values) => {
        if (text.includes('AS count0')) statements.push(text);
        return services.sql.rows(text, values);
      },
    };
    const signals = new QueueSignals({ ...services, sql }, queueCounters);
    let time = 10_000;
    jest.spyOn(performance, 'now').mockImplementation(() => time);
    const waiting = async (): Promise<number | null | undefined> => (await signals.read()).queues[0]?.waiting;
    expect(await waiting()).toBe(10_500);
    await services.sql.run('DELETE FROM jobs LIMIT 10000');
    const first = statements.length;
    time += 2_000;
    // Time stands still here, so the count took none and may be repeated at once. The first read does not wait for it.
    await waiting();
    expect(statements.slice(first).map((text) => text.split('COUNT').length - 1)).toEqual(
      expect.arrayContaining([14, 1]),
    );
    time += 60_000;
    expect(await waiting()).toBe(500);
  });
});
