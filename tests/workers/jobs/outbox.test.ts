import { Queue } from 'bullmq';
import { relay } from '../../../config/queues';
import { Job } from '../../../shared/models';
import { insertRows } from '../../../shared/engine/db/insert';
import { unitOfWork } from '../../../shared/engine/db/unitOfWork';
import { bullJobId } from '../../../shared/engine/jobs/Outbox';
import { createPaymentLink } from '../../../shared/paymentLinks/createPaymentLink';
import { expirePaymentLinks } from '../../../shared/paymentLinks/expirePaymentLinks';
import { recordJob } from '../../../shared/engine/jobs/recordJob';
import { wakeEndpoint } from '../../../shared/webhooks/wakeEndpoint';
import { claimJob } from '../../../workers/jobs/jobRow';
import { eventually } from '../../support/eventually';
import { atEnd, installation, openTestServices } from '../../support/installation';
import { startTcpProxy } from '../../support/tcpProxy';
import { Effects } from '../../support/workers';

let effects: Effects;
let queue: Queue;
beforeAll(async () => {
  effects = await Effects.start();
  const connection = effects.services.redis.connect('blocking');
  queue = new Queue('payment-link', {
    connection,
    prefix: effects.services.config.redisPrefix,
    skipVersionCheck: true,
  });
  atEnd(async () => {
    await queue.close();
    connection.disconnect();
  });
});
/** Nothing of the tests before is left to relay. */
beforeEach(async () => {
  await Job.update({ status: 'done' }, { where: {} });
  await queue.drain(true);
});

/** Commits a job as a process does that dies before it tells Redis. */
async function committedOnly(): Promise<number> {
  const { companyId, invoice } = await effects.invoice();
  const { id } = await unitOfWork(effects.services.sequelize, effects.clock, { companyId, actor: 'test' }, (uow) =>
    recordJob(uow, createPaymentLink, { invoiceId: invoice.id }),
  );
  return id;
}

/** Adds `count` jobs like this one, which have been due since 2020. */
async function copyJob(jobId: number, count: number): Promise<void> {
  const columns = 'companyId, name, queue, payload, status, maxAttempt, availableAt, createdAt, updatedAt';
  const [row] = await effects.services.sql.rows<Record<string, string | number>>(
    `SELECT ${columns} FROM jobs WHERE id = ?`,
    [jobId],
  );
  const copy = { ...row, payload: JSON.stringify(row?.['payload']), relayAt: '2020-01-01' };
  await insertRows(
    effects.services.sql,
    'jobs',
    Array.from({ length: count }, () => copy),
  );
}

const relayDue = () => effects.services.outbox.relayDue();
const queued = async () => (await queue.getJobs()).map(({ id }) => id).sort();
const afterTheGrace = () => effects.clock.moveOn(relay.graceMs + 1);

describe('the outbox', () => {
  test('relays what was committed and never queued, after a time of grace, once', async () => {
    const jobId = await committedOnly();
    expect(await relayDue()).toBe(0);
    afterTheGrace();
    expect(await relayDue()).toBe(1);
    expect(await queued()).toEqual([bullJobId(jobId)]);
    effects.clock.moveOn(relay.againAfterMs);
    expect(await relayDue()).toBe(0);
    expect(await queued()).toEqual([bullJobId(jobId)]);
  });

  test('relays each row once when many processes relay at the same time', async () => {
    const ids = await Promise.all(Array.from({ length: 12 }, committedOnly));
    afterTheGrace();
    const counts = await Promise.all(Array.from({ length: 5 }, relayDue));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(ids.length);
    expect(await queued()).toEqual(ids.map(bullJobId).sort());
  });

  test('relays rows while workers claim them, and no statement is the victim of a deadlock', async () => {
    const ids = await Promise.all(Array.from({ length: 8 }, committedOnly));
    for (let round = 0; round < 40; round++) {
      await Job.update({ status: 'pending', leaseUntil: null, relayAt: new Date(0) }, { where: { id: ids } });
      await Promise.all([relayDue(), ...ids.map((id) => claimJob(effects.services, id)), relayDue()]);
    }
  });

  test('puts at most a hundred jobs at a time into their queue', async () => {
    const { queues } = effects.services;
    for (let count = 0; count < 130; count += 10) await Promise.all(Array.from({ length: 10 }, committedOnly));
    afterTheGrace();
    const add = queues.add.bind(queues);
    const adding = { now: 0, most: 0 };
    jest.spyOn(queues, 'add').mockImplementation(async (job) => {
      adding.most = Math.max(adding.most, ++adding.now);
      await add(job).finally(() => adding.now--);
    });
    expect(await relayDue()).toBe(130);
    expect(adding.most).toBe(100);
  });

  test('leaves further jobs of a company in MySQL while a thousand of them are queued, and relays them when there is room', async () => {
    const { outbox, queues } = effects.services;
    const [busy, other] = [await effects.invoice(), await effects.invoice()];
    // A process uses the size of a flow for a second, and a slow machine takes longer.
    const clock = jest.spyOn(performance, 'now').mockReturnValue(performance.now());
    const ref = { queue: 'payment-link', name: 'createPaymentLink', requestId: null, isWaitedFor: false } as const;
    const entries = Array.from({ length: 1_000 }, (_, index) => ({
      ...{ ...ref, companyId: busy.companyId, id: 1_000_000 + index, availableAt: effects.clock.now() },
    }));
    await Promise.all(entries.map((entry) => outbox.relay(entry)));
    const [mine, others] = await Promise.all(
      [busy, other].map(({ companyId, invoice }) =>
        effects.services.perform({ companyId, actor: 'test' }, (uow) =>
          recordJob(uow, createPaymentLink, { invoiceId: invoice.id }),
        ),
      ),
    );
    await eventually(async () => (await queued()).includes(bullJobId(others?.id ?? 0)));
    expect(await queued()).not.toContain(bullJobId(mine?.id ?? 0));
    clock.mockRestore();
    afterTheGrace();
    expect(await relayDue()).toBe(0);
    await queues.remove('payment-link', bullJobId(1_000_000), entries[0]);
    await eventually(() => queues.hasRoom('payment-link', { companyId: busy.companyId, isWaitedFor: false }));
    expect(await relayDue()).toBe(1);
    expect(await queued()).toContain(bullJobId(mine?.id ?? 0));
  });

  test('relays the first jobs of each company while a backlog waits in the queue, the more the fewer companies have any', async () => {
    const one = await committedOnly();
    // Another company's, which have been due for longer.
    const other = await committedOnly();
    await copyJob(other, 1_023);
    afterTheGrace();
    const counts = jest.spyOn(effects.services.queues, 'counts').mockResolvedValue({ waiting: 1_000 });
    try {
      expect(await relayDue()).toBe(500 + 1);
      expect(await queued()).toContain(bullJobId(one));
      counts.mockResolvedValue({ waiting: 0, delayed: 10_000 });
      expect(await relayDue()).toBe(500);
      // Each of 52 companies gets the least, and that company none: its flow is full.
      const many = await Promise.all(Array.from({ length: 50 }, committedOnly));
      const [first = 0] = many;
      await copyJob(first, 63);
      afterTheGrace();
      expect(await relayDue()).toBe(20 + 49);
      expect(await relayDue()).toBe(64 - 20);
    } finally {
      counts.mockRestore();
    }
  });

  test('relays again what a flushed Redis has lost', async () => {
    const { companyId, invoice } = await effects.invoice();
    const { id } = await effects.services.perform({ companyId, actor: 'test' }, (uow) =>
      recordJob(uow, createPaymentLink, { invoiceId: invoice.id }),
    );
    await eventually(async () => (await queued()).length === 1);
    await queue.obliterate({ force: true });
    expect(await queued()).toEqual([]);
    afterTheGrace();
    expect(await relayDue()).toBe(1);
    expect(await queued()).toEqual([bullJobId(id)]);
  });

  test('relays what a dead worker has left, and leaves a living one’s alone', async () => {
    const [dead, living] = await Promise.all([committedOnly(), committedOnly()]);
    afterTheGrace();
    const now = effects.clock.now().getTime();
    await Job.update({ status: 'running', attempt: 1, leaseUntil: new Date(now - 1) }, { where: { id: dead } });
    await Job.update({ status: 'running', attempt: 1, leaseUntil: new Date(now + 60_000) }, { where: { id: living } });
    expect(await relayDue()).toBe(1);
    expect(await queued()).toEqual([bullJobId(dead)]);
  });

  test('leaves alone what has ended, and what is not due', async () => {
    for (const status of ['done', 'failed', 'uncertain'] as const) {
      await Job.update({ status }, { where: { id: await committedOnly() } });
    }
    const { companyId, invoice } = await effects.invoice();
    const availableAt = new Date(effects.clock.now().getTime() + 3_600_000);
    await unitOfWork(effects.services.sequelize, effects.clock, { companyId, actor: 'test' }, (uow) =>
      recordJob(uow, expirePaymentLinks, { invoiceId: invoice.id }, { availableAt }),
    );
    afterTheGrace();
    expect(await relayDue()).toBe(0);
    effects.clock.moveTo(availableAt);
    afterTheGrace();
    expect(await relayDue()).toBe(1);
  });

  test('records nothing of a transaction that rolls back', async () => {
    const { companyId, invoice } = await effects.invoice();
    const work = effects.services.perform({ companyId, actor: 'test' }, async (uow) => {
      await recordJob(uow, createPaymentLink, { invoiceId: invoice.id });
      throw new Error('rolled back');
    });
    await expect(work).rejects.toThrow('rolled back');
    expect(await effects.jobs(companyId)).toEqual([]);
    afterTheGrace();
    expect(await relayDue()).toBe(0);
    expect(await queued()).toEqual([]);
  });

  test('keeps a row while Redis is unreachable or frozen, and relays it when Redis is back', async () => {
    const { REDIS_URL: redisUrl = '' } = await installation();
    const proxy = await startTcpProxy(redisUrl);
    const behind = await openTestServices({ env: { REDIS_URL: proxy.url }, clock: effects.clock });
    await eventually(() => behind.queues.isConnected);
    const { companyId, invoice } = await effects.invoice();
    const record = () =>
      behind.perform({ companyId, actor: 'test' }, (uow) =>
        recordJob(uow, expirePaymentLinks, { invoiceId: invoice.id }),
      );
    proxy.freeze();
    const frozen = await record();
    expect(await behind.outbox.isQueued(frozen.id)).toBe(false);
    proxy.cut();
    await eventually(() => !behind.queues.isConnected);
    const away = await record();
    expect(await behind.outbox.isQueued(away.id)).toBe(false);
    afterTheGrace();
    expect(await behind.outbox.relayDue()).toBe(0);
    proxy.restore();
    await eventually(() => behind.queues.isConnected);
    expect(await behind.outbox.relayDue()).toBe(2);
    expect(await queued()).toEqual([frozen.id, away.id].map(bullJobId).sort());
  });
});

test('a company with a thousand entries that serve its endpoints › gets no further one, and another company does', async () => {
  const { services } = effects;
  const clock = jest.spyOn(performance, 'now').mockReturnValue(performance.now());
  const [busy, other] = [
    { companyId: 1_000_001, endpointId: 1 },
    { companyId: 1_000_002, endpointId: 2 },
  ];
  await Promise.all(Array.from({ length: 1_000 }, (_, n) => wakeEndpoint(services, busy, `changed-${n}`)));
  await wakeEndpoint(services, busy, 'changed-more');
  await wakeEndpoint(services, other, 'changed');
  expect((await services.queues.counts('webhook')).waiting).toBe(1_001);
  clock.mockRestore();
});
