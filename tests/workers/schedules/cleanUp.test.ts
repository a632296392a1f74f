import { IdempotencyKey, Job } from '../../../shared/models';
import type { JobStatus } from '../../../shared/engine/jobs/jobStates';
import { cleanUp } from '../../../shared/schedules/cleanUp';
import { Effects } from '../../support/workers';

const DAY_MS = 86_400_000;

test('a clean-up removes done jobs, much later failed and uncertain ones, expired keys and unused PDFs; never what is open', async () => {
  const effects = await Effects.start({ JOB_RETENTION_DAYS: '10', PDF_RETENTION_DAYS: '2' });
  const { companyId } = await effects.invoice();
  const now = effects.clock.now();
  const ended = async (status: JobStatus, daysAgo: number) =>
    Job.create({
      companyId,
      name: 'expirePaymentLinks',
      queue: 'payment-link',
      payload: '{"invoiceId":1}',
      status,
      attempt: 1,
      maxAttempt: 8,
      availableAt: now,
      relayAt: now,
      endedAt: status === 'pending' || status === 'running' ? null : new Date(now.getTime() - daysAgo * DAY_MS),
      createdAt: new Date(0),
      updatedAt: now,
    });
  await ended('done', 9);
  await ended('failed', 99);
  await ended('uncertain', 99);
  const kept = [
    await ended('done', 5),
    await ended('failed', 90),
    await ended('uncertain', 90),
    await ended('pending', 0),
    await ended('running', 0),
  ];
  const key = { companyId, requestHash: 'x', claim: 'x', createdAt: now, updatedAt: now };
  await IdempotencyKey.create({ ...key, idempotencyKey: 'old', expiresAt: new Date(now.getTime() - 1) });
  await IdempotencyKey.create({ ...key, idempotencyKey: 'new', expiresAt: new Date(now.getTime() + 3 * DAY_MS) });
  const { files } = effects.services;
  await files.put('pdf/1/unused.pdf', Buffer.from('%PDF-'));
  await files.put('pdf/1/used.pdf', Buffer.from('%PDF-'));
  const HOUR_MS = 3_600_000;
  effects.clock.moveOn(DAY_MS + HOUR_MS);
  await files.touch('pdf/1/used.pdf', effects.clock.now());
  effects.clock.moveOn(DAY_MS - HOUR_MS + 1);
  expect(await cleanUp(effects.services)).toMatchObject({
    ...{ jobs: 3, idempotencyKeys: 1, pdfs: 1, receipts: 0, webhookDeliveries: 0 },
  });
  expect((await effects.jobs(companyId)).map(({ id }) => id)).toEqual(kept.map(({ id }) => id));
  expect(await files.get('pdf/1/unused.pdf')).toBeNull();
  expect(await files.get('pdf/1/used.pdf')).not.toBeNull();
});

test('expired keys, whose responses may be long, are removed a few in a statement', async () => {
  const effects = await Effects.start();
  const { companyId } = await effects.invoice();
  const { services, clock } = effects;
  const now = clock.now();
  const keys = Array.from({ length: 50 }, (_, n) => ({
    idempotencyKey: `key-${n}`,
    expiresAt: new Date(now.getTime() - n - 1),
  }));
  const others = { companyId, requestHash: 'x', claim: 'x', createdAt: now, updatedAt: now };
  await IdempotencyKey.bulkCreate(keys.map((key) => ({ ...key, ...others })));
  const run = jest.spyOn(services.sql, 'run');
  expect(await cleanUp(services)).toMatchObject({ idempotencyKeys: 50 });
  const removing = run.mock.calls.filter(([text]) => text.includes('FROM idempotency_keys'));
  jest.restoreAllMocks();
  expect(removing).toHaveLength(3);
});
