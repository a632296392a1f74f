import { createConnection } from 'mysql2/promise';
import { databaseRetry, leases, queues } from '../../../config/queues';
import { Job } from '../../../shared/models';
import { Email } from '../../support/models';
import type { UnitOfWork } from '../../../shared/engine/db/unitOfWork';
import { AppError } from '../../../shared/engine/errors';
import { Snooze, type JobRun } from '../../../workers/jobs/JobRun';
import { registry } from '../../../workers/registry';
import { backoff } from '../../../workers/jobs/backoff';
import { eventually } from '../../support/eventually';
import { installation, openTestServices } from '../../support/installation';
import { shorten } from '../../support/shorten';
import { Effects } from '../../support/workers';

type Handler = typeof registry.expirePaymentLinks;

let effects: Effects;
beforeAll(async () => {
  effects = await Effects.start();
});

const errorOf = (job: Job) => JSON.parse(job.lastError ?? 'null') as { code: string } | null;

/** A job whose work the test gives; the fence, the lease and the record are the real ones. */
async function jobThat(run: Handler['run'], failed?: Handler['failed']) {
  jest.spyOn(registry.expirePaymentLinks, 'run').mockImplementation(run);
  if (failed) Object.assign(registry.expirePaymentLinks, { failed });
  const { companyId, invoice } = await effects.invoice();
  return recorded(companyId, { invoiceId: invoice.id });
}
afterEach(() => {
  delete registry.expirePaymentLinks.failed;
});

async function recorded(companyId: number, payload: object, fields: object = {}): Promise<Job> {
  const now = effects.clock.now();
  return Job.create({
    companyId,
    name: 'expirePaymentLinks',
    queue: 'payment-link',
    payload: JSON.stringify(payload),
    status: 'pending',
    attempt: 0,
    uncounted: 0,
    maxAttempt: 8,
    availableAt: now,
    relayAt: now,
    createdAt: now,
    updatedAt: now,
    ...fields,
  });
}

const write = (uow: UnitOfWork, messageId: string) =>
  uow.sql.run(
    `INSERT INTO emails (companyId, invoiceId, messageId, recipient, status, createdAt, updatedAt)
      SELECT companyId, MAX(id), ?, 'x@example.com', 'queued', NOW(), NOW() FROM invoices WHERE companyId = ? GROUP BY companyId`,
    [messageId, uow.companyId],
  );
const written = async (companyId: number) =>
  (await Email.findAll({ where: { companyId } })).map((row) => row.messageId);

function gate(): { open: () => void; opened: Promise<void> } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open, opened };
}

describe('a job', () => {
  test('whose first run stalls beside a second › is recorded by the second alone', async () => {
    const [stalled, goesOn] = [gate(), gate()];
    const job = await jobThat(async (run) => {
      if (run.attempt === 1) {
        stalled.open();
        await goesOn.opened;
      }
      return run.finish(async (uow) => {
        await write(uow, `attempt-${run.attempt}`);
        return { expired: run.attempt };
      });
    });
    const first = effects.run(job.id);
    await stalled.opened;
    effects.clock.moveOn(leases.leaseMs + 1);
    expect(await effects.run(job.id)).toEqual({ done: true });
    goesOn.open();
    expect(await first).toEqual({ done: true });
    expect(await written(job.companyId)).toEqual(['attempt-2']);
    expect(await effects.job(job.id)).toMatchObject({ status: 'done', attempt: 2, result: '{"expired":2}' });
  });

  test('whose stalled run fails after another has ended it › keeps the other’s outcome', async () => {
    const [stalled, goesOn] = [gate(), gate()];
    const job = await jobThat(async (run) => {
      if (run.attempt > 1) return run.finish(() => Promise.resolve({ expired: 0 }));
      stalled.open();
      await goesOn.opened;
      throw new Error('too late');
    });
    const first = effects.run(job.id);
    await stalled.opened;
    effects.clock.moveOn(leases.leaseMs + 1);
    await effects.run(job.id);
    goesOn.open();
    await first.catch((error: unknown) => expect(error).toMatchObject({ name: 'LeaseLost' }));
    expect(await effects.job(job.id)).toMatchObject({ status: 'done', lastError: null });
  });

  test('whose lease is lost › cannot write in the middle of its work either', async () => {
    const [stalled, goesOn] = [gate(), gate()];
    const job = await jobThat(async (run) => {
      if (run.attempt === 1) {
        stalled.open();
        await goesOn.opened;
      }
      await run.perform((uow) => write(uow, `attempt-${run.attempt}`));
      return run.finish(() => Promise.resolve({ expired: 0 }));
    });
    const first = effects.run(job.id);
    await stalled.opened;
    effects.clock.moveOn(leases.leaseMs + 1);
    await effects.run(job.id);
    goesOn.open();
    await first;
    expect(await written(job.companyId)).toEqual(['attempt-2']);
  });

  test.each([
    ['writes', (run: JobRun) => run.perform((uow) => write(uow, 'attempt-1'))],
    ['records the outcome of a call', (run: JobRun) => run.record((uow) => write(uow, 'attempt-1'))],
    ['ends the job', (run: JobRun) => run.finish((uow) => write(uow, 'attempt-1'))],
    ['defers the job', () => Promise.reject(new Snooze(new Date(0)))],
    [
      'fails for now',
      () => Promise.reject(new AppError('email_unavailable', 'not now', { status: 504, retryable: true })),
    ],
    ['fails for good', () => Promise.reject(new Error('no'))],
  ])('whose superseded run %s while the later one is still running › is left to the later one', async (_, late) => {
    const [stalled, goesOn, later, ends] = [gate(), gate(), gate(), gate()];
    const job = await jobThat(async (run) => {
      if (run.attempt === 1) {
        stalled.open();
        await goesOn.opened;
        await late(run);
      } else {
        later.open();
        await ends.opened;
      }
      return run.finish(() => Promise.resolve({ expired: run.attempt }));
    });
    const first = effects.run(job.id);
    await stalled.opened;
    effects.clock.moveOn(leases.leaseMs + 1);
    const second = effects.run(job.id);
    await later.opened;
    const claimed = await effects.job(job.id);
    goesOn.open();
    await first.catch((error: unknown) => expect(error).toMatchObject({ name: 'LeaseLost' }));
    const { status, attempt, uncounted, lastError, availableAt } = await effects.job(job.id);
    expect({ status, attempt, uncounted, lastError, availableAt }).toEqual({
      status: 'running',
      attempt: 2,
      uncounted: 0,
      lastError: null,
      availableAt: claimed.availableAt,
    });
    expect(await written(job.companyId)).toEqual([]);
    ends.open();
    expect(await second).toEqual({ done: true });
    expect(await effects.job(job.id)).toMatchObject({ status: 'done', result: '{"expired":2}' });
  });

  test('that runs › is not run by another delivery before its lease ends', async () => {
    const [begun, goesOn] = [gate(), gate()];
    const job = await jobThat(async (run) => {
      begun.open();
      await goesOn.opened;
      return run.finish(() => Promise.resolve({ expired: 0 }));
    });
    const first = effects.run(job.id);
    await begun.opened;
    const { leaseUntil } = await effects.job(job.id);
    expect(await effects.run(job.id)).toEqual({ nextRunAt: leaseUntil });
    goesOn.open();
    await first;
    expect(await effects.run(job.id)).toEqual({ done: true });
    expect((await effects.job(job.id)).attempt).toBe(1);
  });

  test('that takes long › renews its lease; one that has lost it is aborted', async () => {
    const begun = gate();
    const job = await jobThat(async (run) => {
      begun.open();
      await new Promise((resolve) => run.signal.addEventListener('abort', resolve));
      return run.finish(() => Promise.resolve({ expired: 0 }));
    });
    shorten(leases, 'leaseMs', 1_000);
    const first = effects.run(job.id);
    await begun.opened;
    const before = (await effects.job(job.id)).leaseUntil?.getTime() ?? 0;
    await eventually(async () => ((await effects.job(job.id)).leaseUntil?.getTime() ?? 0) > before);
    await Job.update({ attempt: 2 }, { where: { id: job.id } });
    expect(await first).toEqual({ done: true });
    expect(await effects.job(job.id)).toMatchObject({ status: 'running', attempt: 2 });
  });

  test('whose failure is retryable › waits longer from time to time, up to its last attempt', async () => {
    const failure = new AppError('email_unavailable', 'not now', { status: 504, retryable: true });
    const job = await jobThat(() => Promise.reject(failure));
    const waits: number[] = [];
    for (;;) {
      const outcome = await effects.run(job.id);
      const row = await effects.job(job.id);
      if ('failed' in outcome) break;
      if (!('nextRunAt' in outcome)) throw new Error('it should be retried');
      expect(row).toMatchObject({ status: 'pending', availableAt: outcome.nextRunAt, leaseUntil: null });
      waits.push(outcome.nextRunAt.getTime() - row.updatedAt.getTime());
      effects.clock.moveTo(outcome.nextRunAt);
    }
    const { firstDelayMs, factor, maxDelayMs, attempts } = queues['payment-link'].retries;
    expect(waits).toHaveLength(attempts - 1);
    waits.forEach((wait, index) => {
      const full = Math.min(maxDelayMs, firstDelayMs * factor ** index);
      expect(wait).toBeGreaterThanOrEqual(full / 2 - 100);
      expect(wait).toBeLessThanOrEqual(full + 100);
    });
    expect(await effects.job(job.id)).toMatchObject({ status: 'failed', attempt: attempts });
    expect(errorOf(await effects.job(job.id))).toEqual({ code: 'email_unavailable', message: 'not now', status: 504 });
  });

  test('whose failure is an unexpected error › fails immediately and reveals nothing of it', async () => {
    const job = await jobThat(() => Promise.reject(new TypeError('secret of the inside')));
    expect(await effects.run(job.id)).toHaveProperty('failed');
    const row = await effects.job(job.id);
    expect(row).toMatchObject({ status: 'failed', attempt: 1 });
    expect(row.lastError).toContain('internal_error');
    expect(row.lastError).not.toContain('secret');
  });

  test('that is snoozed › uses no attempt, and does not wait longer the next time it fails', async () => {
    let early = 3;
    const job = await jobThat((run) => {
      if (early-- > 0) throw new Snooze(new Date(effects.clock.now().getTime() + 10));
      throw new AppError('email_unavailable', `attempt ${run.attempt}`, { status: 504, retryable: true });
    });
    for (let times = 0; times < 3; times += 1) {
      const outcome = await effects.run(job.id);
      if ('nextRunAt' in outcome) effects.clock.moveTo(outcome.nextRunAt);
    }
    expect(await effects.job(job.id)).toMatchObject({ attempt: 3, uncounted: 3, maxAttempt: 8, lastError: null });
    await effects.run(job.id);
    const row = await effects.job(job.id);
    expect(row.availableAt.getTime() - row.updatedAt.getTime()).toBeLessThanOrEqual(
      queues['payment-link'].retries.firstDelayMs + 100,
    );
  });

  test('that a worker of the version before deferred, by raising maxAttempt › has the same attempts left', async () => {
    const failure = new AppError('email_unavailable', 'not now', { status: 504, retryable: true });
    const job = await jobThat(() => Promise.reject(failure));
    await job.update({ attempt: 3, maxAttempt: 11 });
    expect(await effects.runToEnd(job.id)).toMatchObject({ status: 'failed', attempt: 11 });
  });

  test('whose rows another session holds locked › is deferred without using an attempt, and done when they are free', async () => {
    const short = await openTestServices({
      env: { ...effects.farSides.env, DATABASE_TIMEOUT_MS: '9000' },
      clock: effects.clock,
    });
    const job = await jobThat(async (run) => {
      await run.perform((uow) => uow.sql.rows('SELECT id FROM companies WHERE id = ? FOR UPDATE', [uow.companyId]));
      return run.finish(() => Promise.resolve({ expired: 0 }));
    });
    const holder = await createConnection((await installation())['DATABASE_URL'] ?? '');
    await holder.query('START TRANSACTION');
    await holder.query('SELECT id FROM companies WHERE id = ? FOR UPDATE', [job.companyId]);
    const delays: number[] = [];
    for (let runs = 0; runs < 2; runs++) {
      const outcome = await effects.run(job.id, { services: short });
      const row = await effects.job(job.id);
      const { availableAt, updatedAt } = row;
      expect(outcome).toEqual({ nextRunAt: availableAt });
      expect(row).toMatchObject({ status: 'pending', attempt: runs + 1, uncounted: runs + 1, leaseUntil: null });
      delays.push(availableAt.getTime() - updatedAt.getTime());
      effects.clock.moveTo(availableAt);
    }
    expect(Math.max(...delays)).toBeLessThanOrEqual(databaseRetry.maxDelayMs);
    expect(errorOf(await effects.job(job.id))?.code).toBe('service_unavailable');
    await holder.end();
    expect(await effects.run(job.id, { services: short })).toEqual({ done: true });
    expect(await effects.job(job.id)).toMatchObject({ status: 'done', attempt: 3 });
  });

  test.each([
    [1317, 'ER_QUERY_INTERRUPTED'],
    [1290, 'ER_OPTION_PREVENTS_STATEMENT'],
    [1021, 'ER_DISK_FULL'],
    [1114, 'ER_RECORD_FILE_FULL'],
  ])(
    'that meets MySQL’s %i %s › is deferred without using an attempt, on its last attempt too',
    async (errno, code) => {
      const job = await jobThat(() => Promise.reject(Object.assign(new Error(code), { errno, code })));
      await job.update({ attempt: 7 });
      expect(await effects.run(job.id)).toHaveProperty('nextRunAt');
      expect(await effects.job(job.id)).toMatchObject({ status: 'pending', attempt: 8, uncounted: 1, maxAttempt: 8 });
    },
  );

  test('that kills the worker that runs it › ends after its attempts, and is not rerun', async () => {
    const work = jest.fn<ReturnType<Handler['run']>, Parameters<Handler['run']>>();
    const failed = jest.fn((_uow, _payload, error: unknown) => Promise.resolve(error));
    const job = await jobThat(work, failed);
    await job.update({ status: 'running', attempt: 8, leaseUntil: new Date(0) });
    expect(await effects.run(job.id)).toHaveProperty('failed');
    expect(work).not.toHaveBeenCalled();
    expect(failed).toHaveBeenCalledTimes(1);
    expect(await effects.job(job.id)).toMatchObject({ status: 'failed' });
    expect(errorOf(await effects.job(job.id))?.code).toBe('job_crashed');
  });

  test.each([
    ['has a payload of another form', '{"invoice":"7"}', 'invalid_payload'],
    ['has no payload', 'null', 'invalid_payload'],
    ['has a payload that is not JSON', '{"invoiceId":', 'invalid_payload'],
  ])('that %s › fails once, whatever its kind', async (_, payload, code) => {
    const { companyId } = await effects.invoice();
    for (const name of ['sendInvoiceEmail', 'createPaymentLink', 'syncPaymentLink', 'expirePaymentLinks']) {
      const job = await recorded(companyId, {}, { name, payload });
      expect(await effects.run(job.id)).toHaveProperty('failed');
      expect(await effects.job(job.id)).toMatchObject({ status: 'failed', attempt: 1 });
      expect(errorOf(await effects.job(job.id))?.code).toBe(code);
      expect(await effects.run(job.id)).toEqual({ done: true });
    }
  });

  test('that this worker does not know › is left to a newer one, without using an attempt', async () => {
    const { companyId } = await effects.invoice();
    const job = await recorded(companyId, {}, { name: 'fromTheFuture' });
    expect(await effects.run(job.id)).toHaveProperty('nextRunAt');
    expect(await effects.job(job.id)).toMatchObject({ status: 'pending', attempt: 1, uncounted: 1 });
  });

  test('about a record that is not there › fails once', async () => {
    const { companyId } = await effects.invoice();
    for (const [name, payload] of [
      ['sendInvoiceEmail', { invoiceId: 999_999_999, emailId: 999_999_999 }],
      ['createPaymentLink', { invoiceId: 999_999_999 }],
      ['syncPaymentLink', { paymentLinkId: 999_999_999 }],
    ] as const) {
      const job = await recorded(companyId, payload, { name });
      expect(await effects.run(job.id)).toHaveProperty('failed');
      expect(await effects.job(job.id)).toMatchObject({ status: 'failed', attempt: 1 });
    }
  });

  test('that is not due, has ended or does not exist › is not run', async () => {
    const work = jest.fn<ReturnType<Handler['run']>, Parameters<Handler['run']>>();
    const job = await jobThat(work);
    const later = new Date(effects.clock.now().getTime() + 60_000);
    await job.update({ availableAt: later });
    expect(await effects.run(job.id)).toEqual({ nextRunAt: later });
    for (const status of ['done', 'failed', 'uncertain'] as const) {
      await job.update({ status });
      expect(await effects.run(job.id)).toEqual({ done: true });
    }
    expect(await effects.run(999_999_999)).toEqual({ done: true });
    expect(work).not.toHaveBeenCalled();
  });

  test('that cannot record its failure, since what fails fails too › is retried, and is not logged as failed', async () => {
    const logged = jest.spyOn(effects.services.log, 'error');
    const job = await jobThat(
      () => Promise.reject(new Error('no')),
      () => Promise.reject(new Error('nor this')),
    );
    await expect(effects.run(job.id)).rejects.toThrow('nor this');
    expect(await effects.job(job.id)).toMatchObject({ status: 'running', attempt: 1 });
    expect(logged).not.toHaveBeenCalled();
  });
});

test('an e-mail is retried for about two days: within seconds at first, every 2 hours at last', () => {
  const { attempts } = queues.email.retries;
  const random = jest.spyOn(Math, 'random');
  const delays = (chance: number): number[] => {
    random.mockReturnValue(chance);
    return Array.from({ length: attempts - 1 }, (_, n) => backoff(queues.email.retries, n + 1));
  };
  const hours = (chance: number): number => delays(chance).reduce((sum, delay) => sum + delay) / 3_600_000;
  expect(hours(0.5)).toBeCloseTo(48, -1);
  expect([hours(0) > 30, hours(1) < 72]).toEqual([true, true]);
  expect(delays(1).slice(0, 3)).toEqual([1_000, 3_000, 9_000]);
  expect(delays(1).at(-1)).toBe(7_200_000);
});

test('a backoff is between half and all of the policy’s delay, by chance', () => {
  const policy = { attempts: 5, firstDelayMs: 100, factor: 3, maxDelayMs: 500 };
  const delays = (): number[] => [1, 2, 3, 9].map((attempt) => backoff(policy, attempt));
  const random = jest.spyOn(Math, 'random').mockReturnValue(0);
  expect(delays()).toEqual([50, 150, 250, 250]);
  random.mockReturnValue(1);
  expect(delays()).toEqual([100, 300, 500, 500]);
});
