import { setTimeout as sleep } from 'node:timers/promises';
import { scanEveryMs, type QueueName } from '../../../config/queues';
import { ServiceUnavailable } from '../../../shared/engine/errors';
import type { Services } from '../../../shared/services';
import { runScan } from '../../../workers/schedules/runScan';
import { createCompany, createExpense } from '../../support/factories';
import { eventually } from '../../support/eventually';
import { datesOf, multiplySeries, nothingIsDue, seriesOf, wrongCounts } from '../../support/schedules';
import { Effects } from '../../support/workers';

const DAY_MS = 86_400_000;
let effects: Effects;
let services: Services;
let companyId: number;

beforeAll(async () => {
  effects = await Effects.start();
  services = effects.services;
});
beforeEach(async () => {
  await nothingIsDue(services);
  ({ companyId } = await createCompany(services, { timezone: 'UTC' }));
});

const today = (): string => effects.clock.now().toISOString().slice(0, 10);
/** A daily series of which the first date is today. */
const create = async (): Promise<number> => {
  const day = { expenseDate: today(), nextDueDate: today() };
  return (await createExpense(services, companyId, { recurring: 'daily', ...day })).id;
};
const made = (id: number, count: number) =>
  eventually(async () => {
    const dates = await datesOf(services, id);
    return dates.length >= count ? dates : null;
  });

/** Scans are requested every few milliseconds instead of every half a minute; all else takes its time. */
function hurry(): void {
  const { setTimeout: real } = globalThis;
  jest
    .spyOn(globalThis, 'setTimeout')
    .mockImplementation((run: () => void, ms?: number) => real(run, ms === scanEveryMs ? 20 : ms));
}

describe('a worker that serves the queue of the schedules', () => {
  test('rolls when it starts and with every scan, without being asked', async () => {
    const id = await create();
    const { stop } = await effects.startPool(['schedule']);
    hurry();
    const stopSchedules = effects.startSchedules();
    expect(await made(id, 1)).toHaveLength(1);
    effects.clock.moveOn(2 * DAY_MS);
    expect(await made(id, 3)).toHaveLength(3);
    effects.clock.moveOn(DAY_MS);
    expect(await made(id, 4)).toHaveLength(4);
    await stopSchedules();
    await stop();
  });

  test('that is asked to end in a long scan › ends between two transactions, and the next one goes on', async () => {
    const id = await create();
    await multiplySeries(services, id, 1_000);
    let transactions = 0;
    let ended: Promise<void> | undefined;
    const performForInstallation: Services['performForInstallation'] = async (actor, work) => {
      const result = await services.performForInstallation(actor, work);
      transactions += 1;
      ended ??= running.stop();
      return result;
    };
    const running = await effects.startPool(['schedule'], { ...services, performForInstallation });
    await services.queues.add({ queue: 'schedule', name: 'scan', jobId: 'scan-long', data: {} });
    await eventually(() => ended !== undefined);
    await ended;
    expect(transactions).toBe(1);
    const [row] = await services.sql.rows<{ made: number }>(
      'SELECT COUNT(*) AS made FROM expenses WHERE companyId = ? AND seriesId IS NOT NULL',
      [companyId],
    );
    expect(row).toEqual({ made: 200 });
    expect(await wrongCounts(services, companyId)).toEqual([]);

    const next = await effects.startPool(['schedule']);
    const stopSchedules = effects.startSchedules();
    await eventually(async () => {
      const due = await services.sql.rows('SELECT id FROM expenses WHERE companyId = ? AND dueAt <= ? LIMIT 1', [
        companyId,
        today(),
      ]);
      return due.length === 0;
    });
    await stopSchedules();
    await next.stop();
    expect(await wrongCounts(services, companyId)).toEqual([]);
  });
});

test('a worker that does not serve it › requests no scan, so that none pile up', async () => {
  const add = jest.spyOn(services.queues, 'add').mockResolvedValue();
  const requestsOf = async (queues: readonly QueueName[]): Promise<number> => {
    const { config } = services;
    const stopSchedules = effects.startSchedules({
      ...services,
      config: { ...config, worker: { ...config.worker, queues } },
    });
    // Timers that are set for the same moment go off in the order in which they were set.
    await sleep(0);
    await stopSchedules();
    return add.mock.calls.length;
  };
  expect(await requestsOf(['email', 'pdf', 'payment-link'])).toBe(0);
  expect(await requestsOf(['schedule'])).toBe(1);
});

test('a Redis that forgets what was asked for › the next slot requests it again, and nothing is lost', async () => {
  const id = await create();
  const stopFirst = effects.startSchedules();
  await eventually(async () => (await services.queues.counts('schedule'))['waiting'] === 1);
  await stopFirst();
  const { redis } = services.queues;
  const keys = await redis.keys(`${services.config.redisPrefix}:schedule:*`);
  expect(keys.length).toBeGreaterThan(0);
  await redis.del(...keys);
  const { stop } = await effects.startPool(['schedule']);
  expect(await datesOf(services, id)).toEqual([]);
  const stopSchedules = effects.startSchedules();
  expect(await made(id, 1)).toHaveLength(1);
  await stopSchedules();
  await stop();
});

describe('a scan', () => {
  const never = new AbortController().signal;

  test('logs a series that fails with its company and id, and what it made of the others', async () => {
    const [bad, good] = [await create(), await create()];
    await services.sql.run('UPDATE expenses SET anchorDate = NULL WHERE id = ?', [bad]);
    const error = jest.spyOn(services.log, 'error');
    const info = jest.spyOn(services.log, 'info');
    await runScan(services, never);
    expect(error.mock.calls).toMatchObject([
      [{ kind: 'expense', companyId, id: bad, err: expect.any(Error) as Error }, expect.stringMatching(/failed/)],
    ]);
    expect(info.mock.calls).toMatchObject([[{ expenses: 1, invoices: 0, overdue: 0, failed: 1 }, expect.any(String)]]);
    expect(await datesOf(services, good)).toHaveLength(1);
  });

  test('with nothing due › says nothing', async () => {
    const spies = (['info', 'warn', 'error'] as const).map((level) => jest.spyOn(services.log, level));
    await runScan(services, never);
    expect(spies.flatMap(({ mock }) => mock.calls)).toEqual([]);
  });

  test('while MySQL is unreachable › is no failure of the worker: it is logged, and the next one goes on', async () => {
    const id = await create();
    const warn = jest.spyOn(services.log, 'warn');
    const away = (): Promise<never> => Promise.reject(new ServiceUnavailable('the database'));
    await runScan({ ...services, perform: away, performForInstallation: away }, never);
    expect(warn.mock.calls).toMatchObject([[{ err: expect.any(ServiceUnavailable) as Error }, expect.any(String)]]);
    expect(await datesOf(services, id)).toEqual([]);
    expect((await seriesOf(services, id)).nextDueDate).toBe(today());
    await runScan(services, never);
    expect(await datesOf(services, id)).toHaveLength(1);
  });

  test('of a worker that ends already › does nothing', async () => {
    const id = await create();
    await runScan(services, AbortSignal.abort());
    expect(await datesOf(services, id)).toEqual([]);
  });
});
