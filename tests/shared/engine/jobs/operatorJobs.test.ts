import { Op } from 'sequelize';
import { retryDryRun, retryMany } from '../../../../cli/retryMany';
import { jobContracts } from '../../../../shared/jobContracts';
import { installationWork, type InstallationWork } from '../../../../shared/engine/db/unitOfWork';
import { listJobs, showJob } from '../../../../shared/engine/jobs/listJobs';
import { queueStates } from '../../../../shared/engine/jobs/queueStates';
import { countToRetry, retryBatch, type RetryFilter } from '../../../../shared/engine/jobs/retryJobs';
import type { Services } from '../../../../shared/services';
import { queueCounters } from '../../../../shared/queueCounters';
import { Job } from '../../../../shared/models';
import { Event } from '../../../support/models';
import { createCompany } from '../../../support/factories';
import { openTestServices } from '../../../support/installation';
import { plansOf } from '../../../support/plans';

let services: Services;
let companyId: number;
let otherId: number;
beforeAll(async () => {
  services = await openTestServices();
  companyId = (await createCompany(services)).companyId;
  otherId = (await createCompany(services)).companyId;
});
afterEach(() => Job.destroy({ where: {} }));

/** In transactions of the operator, without a relay to Redis. */
const ofInstallation = <T>(work: (work: InstallationWork) => Promise<T>): Promise<T> =>
  installationWork(services.sequelize, services.clock, 'cli', work);

const at = (time: string): Date => new Date(`2026-03-01T${time}Z`);

/** Job rows as they are left when everything has ended. Returns their ids. */
async function insert(...rows: Partial<Job>[]): Promise<number[]> {
  const ids: number[] = [];
  for (const row of rows) {
    const { errorCode: code = 'email_unavailable' } = row;
    const { id } = await Job.create({
      ...{
        companyId,
        name: 'sendInvoiceEmail',
        queue: 'email',
        payload: '{"invoiceId":1,"emailId":2}',
        dedupeKey: null,
      },
      ...{ status: 'failed', attempt: 41, uncounted: 0, maxAttempt: 41, availableAt: at('00:00'), leaseUntil: null },
      ...{ relayAt: at('00:00'), result: null, startedAt: null, endedAt: at('01:00'), createdAt: at('00:00') },
      ...{ updatedAt: at('01:00'), errorCode: code, lastError: JSON.stringify({ code, message: 'no', status: 504 }) },
      ...row,
    });
    ids.push(id);
  }
  return ids;
}

const link = { name: 'createPaymentLink', queue: 'payment-link', payload: '{"invoiceId":1}' } as const;

describe('the list', () => {
  test('every filter › finds what it names, pages follow each other, and an e-mail’s job shows its e-mail', async () => {
    const [early, late, ofLink, ofOther, waiting] = await insert(
      { endedAt: at('01:00') },
      { endedAt: at('03:00') },
      { ...link, errorCode: 'gateway_refused' },
      { companyId: otherId, status: 'uncertain', errorCode: 'delivery_uncertain' },
      { status: 'pending', endedAt: null, createdAt: at('03:00') },
    );
    const found = async (...[filter, page]: [object, object?]): Promise<number[]> =>
      (await listJobs(services.sql, filter, { limit: 50, ...page })).map(({ id }) => id);
    expect(await found({})).toEqual([waiting, ofOther, ofLink, late, early]);
    expect(await found({}, { limit: 2 })).toEqual([waiting, ofOther]);
    expect(await found({}, { limit: 2, before: ofOther })).toEqual([ofLink, late]);
    expect(await found({ status: 'failed' })).toEqual([ofLink, late, early]);
    expect(await found({ queue: 'payment-link' })).toEqual([ofLink]);
    expect(await found({ companyId: otherId })).toEqual([ofOther]);
    expect(await found({ code: 'delivery_uncertain' })).toEqual([ofOther]);
    expect(await found({ status: 'failed', since: at('02:00') })).toEqual([late]);
    expect(await found({ status: 'failed', until: at('03:00') })).toEqual([ofLink, early]);
    expect(await found({ since: at('02:00') })).toEqual([waiting, late]);
    expect(await found({ status: 'failed', queue: 'email', code: 'email_unavailable', companyId })).toEqual([
      late,
      early,
    ]);
    expect(await showJob(services.sql, early!)).toMatchObject({ emailId: 2, invoiceId: 1, queue: 'email', companyId });
    expect(await showJob(services.sql, ofLink!)).toMatchObject({ emailId: null, error: { code: 'gateway_refused' } });
    await expect(showJob(services.sql, 999_999)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('the queues › count each state', async () => {
    const due = new Date(Date.now() - 60_000);
    await insert(...[{ status: 'pending' as const, availableAt: due }, { status: 'running' as const }, {}], {
      status: 'pending',
      availableAt: new Date(Date.now() + 60_000),
    });
    const [email, pdf, links] = await queueStates(services.sql, new Date(), queueCounters);
    expect(email).toMatchObject({ name: 'email', paused: false, waiting: 1, scheduled: 1, running: 1, failed: 1 });
    expect(email?.oldestSeconds).toBeGreaterThanOrEqual(60);
    expect(pdf).toMatchObject({ name: 'pdf', waiting: null });
    expect(links).toMatchObject({ name: 'payment-link', waiting: 0, oldestSeconds: null });
  });
});

describe('many rows', () => {
  const COUNT = 20_000;
  beforeEach(async () => {
    const [first] = await insert({});
    for (let made = 1; made < COUNT; made *= 2) {
      await services.sql.run(
        `INSERT INTO jobs (companyId, name, queue, payload, status, attempt, uncounted, maxAttempt, availableAt, relayAt, endedAt, createdAt, updatedAt)
          SELECT companyId, name, queue, payload, 'done', 1, 0, 41, availableAt, relayAt, endedAt, createdAt, updatedAt FROM jobs`,
      );
    }
    await services.sql.run(
      "UPDATE jobs SET status = 'failed', errorCode = 'email_refused' WHERE id MOD 100 = 0 AND id > ?",
      [first!],
    );
    await services.sql.rows('ANALYZE TABLE jobs');
  });

  test('the filters and the retries › read by an index, and sort nothing', async () => {
    const since = at('00:30');
    const plans = await plansOf(services.sql, async (sql) => {
      for (const filter of [
        ...[{}, { status: 'failed' as const }, { status: 'failed' as const, queue: 'email' as const }],
        ...[{ code: 'email_refused' }, { companyId }, { status: 'failed' as const, since }],
      ])
        await listJobs(sql, filter, { limit: 50 });
      const work = { sql, now: at('02:00'), forCompany: () => undefined } as never;
      const after = { id: 5, queue: 'email', relayAt: '2026-01-01 00:00:00' };
      await retryBatch(work, {}, { queue: 'email', since }, after);
      await retryBatch(work, {}, { status: 'pending', queue: 'email', since }, after);
      await retryBatch(work, {}, { status: 'pending', code: 'email_unavailable' }, after);
      for (const position of [null, after]) await retryBatch(work, {}, { companyId, code: 'email_refused' }, position);
    });
    for (const [step] of plans) {
      expect([step?.type, step?.Extra ?? '']).toEqual([
        expect.not.stringMatching(/^ALL$/),
        expect.not.stringMatching(/filesort|temporary/),
      ]);
    }
  });
});

describe('retrying many', () => {
  const run = (filter: RetryFilter = {}) => retryMany({ ofInstallation } as never, filter);
  const dryRun = (filter: RetryFilter = {}) => retryDryRun({ ofInstallation } as never, filter);

  test('a dry run › counts by queue and code, and changes nothing', async () => {
    await insert({}, {}, { errorCode: 'email_refused' }, { ...link, errorCode: 'gateway_refused' }, { status: 'done' });
    expect(await dryRun()).toEqual({
      dryRun: true,
      wouldRetry: 4,
      found: [
        { queue: 'email', code: 'email_unavailable', jobs: 2 },
        { queue: 'email', code: 'email_refused', jobs: 1 },
        { queue: 'payment-link', code: 'gateway_refused', jobs: 1 },
      ],
    });
    expect(await Job.count({ where: { status: 'failed' } })).toBe(4);
  });

  test('what the filter names › is pending with new attempts and an event, in several transactions; the rest stays', async () => {
    const matching = await insert(...Array.from({ length: 405 }, () => ({})), { companyId: otherId });
    const [another, uncertain] = await insert({ errorCode: 'email_refused' }, { status: 'uncertain' });
    expect(await run({ queue: 'email', code: 'email_unavailable' })).toEqual({
      ...{ dryRun: false, retried: 406, skipped: 0, interrupted: false },
    });
    expect(await Job.count({ where: { id: matching, status: 'pending', uncounted: 41, endedAt: null } })).toBe(406);
    expect(await Job.findOne({ where: { id: another! } })).toMatchObject({ status: 'failed' });
    expect(await Job.findOne({ where: { id: uncertain! } })).toMatchObject({ status: 'uncertain' });
    expect(await Event.count({ where: { type: 'job.retried', subjectId: matching } })).toBe(406);
    expect(await run({ queue: 'email', code: 'email_unavailable' })).toMatchObject({ retried: 0 });
  });

  test('links of one invoice › get one job in flight, and an unknown job stays', async () => {
    await insert(link, link, { name: 'ofTheNextVersion' });
    expect(await run()).toMatchObject({ retried: 1, skipped: 2 });
    expect(await Job.count({ where: { status: 'pending', dedupeKey: 'createPaymentLink:1' } })).toBe(1);
  });

  test('Ctrl-C › stops after the transaction in progress, and the next run goes on', async () => {
    await insert(...Array.from({ length: 450 }, () => ({})));
    let transactions = 0;
    const interrupted = await retryMany(
      {
        ofInstallation: async (work: (work: InstallationWork) => Promise<unknown>) => {
          transactions += 1;
          if (transactions === 2) process.emit('SIGINT');
          return ofInstallation(work);
        },
      } as never,
      {},
    );
    expect(interrupted).toMatchObject({ retried: 200, interrupted: true });
    expect(await Job.count({ where: { status: 'failed' } })).toBe(250);
    expect(await run()).toMatchObject({ retried: 250, interrupted: false });
  });

  test('one that fails again while the command runs › is not retried twice', async () => {
    const [id] = await insert({});
    const before = await ofInstallation((work) => countToRetry(work, { until: at('01:00') }));
    expect(before).toEqual([]);
    await ofInstallation((work) => retryBatch(work, jobContracts, { until: at('02:00') }, null));
    await Job.update({ status: 'failed', endedAt: at('03:00') }, { where: { id } });
    expect(await ofInstallation((work) => retryBatch(work, jobContracts, { until: at('02:00') }, null))).toEqual({
      ...{ retried: 0, skipped: 0, next: null },
    });
  });

  describe('that are pending', () => {
    const HOUR_MS = 3_600_000;
    /** As an attempt that failed leaves it. */
    const later = (): Partial<Job> => ({
      ...{ status: 'pending', attempt: 3, endedAt: null },
      ...{ availableAt: new Date(Date.now() + HOUR_MS), relayAt: new Date(Date.now() + HOUR_MS) },
    });

    test('those that wait for another attempt › are due now, in several transactions, with the attempts that they had', async () => {
      const waiting = await insert(...Array.from({ length: 405 }, later), { ...later(), companyId: otherId });
      const filter = { status: 'pending', queue: 'email', code: 'email_unavailable' } as const;
      const found = [{ queue: 'email', code: 'email_unavailable', jobs: 406 }];
      expect(await dryRun(filter)).toEqual({ dryRun: true, wouldRetry: 406, found });
      expect(await run(filter)).toEqual({ dryRun: false, retried: 406, skipped: 0, interrupted: false });
      const isDue = { [Op.lte]: new Date() };
      const hurried = { id: waiting, status: 'pending', availableAt: isDue, relayAt: isDue };
      expect(await Job.count({ where: { ...hurried, attempt: 3, uncounted: 0, maxAttempt: 41 } })).toBe(406);
      expect(await Event.count({ where: { subjectId: waiting } })).toBe(0);
      expect(await run(filter)).toMatchObject({ retried: 0, skipped: 0 });
    });

    test('what has not failed yet, is due, or does not match › stays, and so does what failed for good', async () => {
      const rows = [
        { ...later(), errorCode: null, lastError: null },
        { ...later(), availableAt: at('00:00'), relayAt: at('00:00') },
        { ...later(), ...link },
        {},
      ];
      const ids = await insert(...rows);
      const before = await Job.findAll({ where: { id: ids }, raw: true });
      expect(await run({ status: 'pending', queue: 'email' })).toMatchObject({ retried: 0, skipped: 0 });
      expect(await Job.findAll({ where: { id: ids }, raw: true })).toEqual(before);
    });
  });
});
