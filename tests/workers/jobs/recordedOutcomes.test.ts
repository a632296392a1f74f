import { createConnection } from 'mysql2/promise';
import { leases } from '../../../config/queues';
import { Email } from '../../support/models';
import { EmailRefused, ServiceUnavailable } from '../../../shared/engine/errors';
import type { Services } from '../../../shared/services';
import type { Tools } from '../../../workers/jobs/JobRun';
import { LeaseConnection } from '../../../workers/jobs/LeaseConnection';
import { runJob } from '../../../workers/jobs/runJob';
import { registry } from '../../../workers/registry';
import { eventually } from '../../support/eventually';
import { atEnd, installation, openTestServices } from '../../support/installation';
import { shorten } from '../../support/shorten';
import { startTcpProxy, type TcpProxy } from '../../support/tcpProxy';
import { Effects, jobIdOf, type Subject } from '../../support/workers';

let effects: Effects;
let proxy: TcpProxy;
/** A worker whose way to MySQL the test can break. A locked row makes its statements fail after a second. */
let worker: Tools;

beforeAll(async () => {
  effects = await Effects.start();
  await effects.startPool(['pdf']);
  const { DATABASE_URL = '' } = await installation();
  proxy = await startTcpProxy(DATABASE_URL);
  const behind = { DATABASE_URL: proxy.url, DATABASE_TIMEOUT_MS: '9000', DATABASE_POOL_SIZE: '2' };
  const services = await openTestServices({ env: { ...effects.farSides.env, ...behind }, clock: effects.clock });
  const connection = new LeaseConnection(proxy.url);
  atEnd(() => connection.close());
  worker = { ...effects.tools, services, leases: connection };
});
beforeEach(async () => {
  await effects.mailFault({ reset: true });
  await effects.gatewayFault({ reset: true });
  // Sequelize reports there each transaction that it could not roll back.
  jest.spyOn(console, 'warn').mockReturnValue(undefined);
});
afterEach(() => proxy.restore());

async function requested(what: 'send-email' | 'create-gateway-invoice'): Promise<Subject & { jobId: number }> {
  const subject = await effects.invoice();
  if (what === 'send-email') await effects.printForEmail(subject);
  const path = `/api/invoices/${subject.invoice.id}/${what}`;
  return { ...subject, jobId: jobIdOf(await subject.as.post(path).set('Prefer', 'respond-async').expect(202)) };
}

/** The worker, with `then` between the mail server's response and the record of it. */
function afterSending(then: () => Promise<unknown> | undefined): Tools {
  const { email } = worker;
  const send: typeof email.send = async (message, signal) => {
    try {
      return await email.send(message, signal);
    } finally {
      await then();
    }
  };
  return { ...worker, email: { close: () => email.close(), send } };
}

const breakMysql = (): undefined => proxy.cut() as undefined;
const emailOf = ({ invoice }: Subject) => Email.findOne({ where: { invoiceId: invoice.id }, rejectOnEmpty: true });
/** Resolves after so many more calls, which is how a test sees that something was retried. */
const calls = (spy: jest.SpyInstance, more: number): Promise<unknown> => {
  const before = spy.mock.calls.length;
  return eventually(() => spy.mock.calls.length >= before + more);
};

describe('an e-mail that the server accepted', () => {
  test('just before MySQL became unreachable › is recorded as sent when MySQL is back', async () => {
    const subject = await requested('send-email');
    const renew = jest.spyOn(worker.leases, 'renew');
    const run = effects.run(subject.jobId, afterSending(breakMysql));
    await eventually(() => renew.mock.calls.length >= 3);
    proxy.restore();
    expect(await run).toEqual({ done: true });
    expect(await effects.job(subject.jobId)).toMatchObject({ status: 'done', attempt: 1 });
    expect((await emailOf(subject)).status).toBe('sent');
    expect(await effects.eventsOf(subject.invoice.id, 'email.sent')).toHaveLength(1);
    expect(await effects.messagesTo(subject.clientEmail)).toHaveLength(1);
  });

  test('while its invoice stays locked for longer than a lease › is recorded as sent, and no other run begins', async () => {
    const subject = await requested('send-email');
    const { DATABASE_URL = '' } = await installation();
    const holder = await createConnection(DATABASE_URL);
    const hold = async (): Promise<void> => {
      await holder.beginTransaction();
      await holder.query('SELECT id FROM invoices WHERE id = ? FOR UPDATE', [subject.invoice.id]);
    };
    const perform = jest.spyOn(worker.services, 'perform');
    const run = effects.run(subject.jobId, afterSending(hold));
    await eventually(() => perform.mock.calls.length >= 3);
    effects.clock.moveOn(leases.leaseMs + 1);
    await eventually(async () => ((await effects.job(subject.jobId)).leaseUntil ?? 0) > effects.clock.now());
    expect(await effects.run(subject.jobId)).toHaveProperty('nextRunAt');
    await holder.rollback();
    await holder.end();
    expect(await run).toEqual({ done: true });
    expect(await effects.job(subject.jobId)).toMatchObject({ status: 'done', attempt: 1 });
    expect((await emailOf(subject)).status).toBe('sent');
    expect(await effects.messagesTo(subject.clientEmail)).toHaveLength(1);
  });

  test('while another run has claimed the job meanwhile › is left to that run', async () => {
    const subject = await requested('send-email');
    const renew = jest.spyOn(worker.leases, 'renew');
    const run = effects.run(subject.jobId, afterSending(breakMysql));
    await eventually(() => renew.mock.calls.length >= 2);
    const { DATABASE_URL = '' } = await installation();
    const other = await createConnection(DATABASE_URL);
    await other.query('UPDATE jobs SET attempt = 2 WHERE id = ?', [subject.jobId]);
    await other.end();
    proxy.restore();
    expect(await run).toEqual({ done: true });
    expect(await effects.job(subject.jobId)).toMatchObject({ status: 'running', attempt: 2 });
    expect((await emailOf(subject)).status).toBe('sending');
  });

  test('when the process has to end before MySQL is back › stays as it is, for the next run to judge', async () => {
    const subject = await requested('send-email');
    const renew = jest.spyOn(worker.leases, 'renew');
    const shutdown = new AbortController();
    const run = runJob(afterSending(breakMysql), registry, subject.jobId, shutdown.signal);
    const rejected = expect(run).rejects.toThrow();
    await eventually(() => renew.mock.calls.length >= 2);
    shutdown.abort();
    await rejected;
    proxy.restore();
    const job = await eventually(() => effects.job(subject.jobId).catch(() => null));
    expect(job).toMatchObject({ status: 'running', attempt: 1 });
    expect((await emailOf(subject)).status).toBe('sending');
  });
});

describe('an e-mail that the server refused just before MySQL became unreachable', () => {
  test('for good › is failed when MySQL is back', async () => {
    const subject = await requested('send-email');
    await effects.mailFault({ mode: 'refuse', stage: 'rcpt', code: 550 });
    const renew = jest.spyOn(worker.leases, 'renew');
    const run = effects.run(subject.jobId, afterSending(breakMysql));
    await calls(renew, 2);
    proxy.restore();
    expect(await run).toMatchObject({ failed: expect.any(EmailRefused) as Error });
    expect((await effects.job(subject.jobId)).status).toBe('failed');
    expect((await emailOf(subject)).status).toBe('failed');
  });

  test('for now › is sent by the next attempt', async () => {
    const subject = await requested('send-email');
    await effects.mailFault({ mode: 'refuse', stage: 'reply', code: 451 });
    const renew = jest.spyOn(worker.leases, 'renew');
    const run = effects.run(subject.jobId, afterSending(breakMysql));
    await calls(renew, 2);
    proxy.restore();
    expect(await run).toHaveProperty('nextRunAt');
    expect((await emailOf(subject)).status).toBe('queued');
    expect((await effects.runToEnd(subject.jobId)).status).toBe('done');
    expect(await effects.messagesTo(subject.clientEmail)).toHaveLength(1);
  });
});

test('a run whose process has no free connection › keeps its lease', async () => {
  const { sequelize, sql } = worker.services;
  shorten(leases, 'leaseMs', 2_000);
  const subject = await requested('create-gateway-invoice');
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const gateway = worker.gateways.of('xendit');
  const findOrCreateLink = gateway.findOrCreateLink.bind(gateway);
  const called = new Promise<void>((resolve) => {
    jest.spyOn(gateway, 'findOrCreateLink').mockImplementationOnce(async (...given) => {
      resolve();
      await released;
      return findOrCreateLink(...given);
    });
  });
  const run = effects.run(subject.jobId, worker);
  await called;
  const taken = await Promise.all([1, 2].map(() => sequelize.transaction()));
  let isServed = false;
  const starved = sql.rows('SELECT 1').finally(() => (isServed = true));
  effects.clock.moveOn(leases.leaseMs + 1);
  const { DATABASE_URL = '' } = await installation();
  const other = await createConnection({ uri: DATABASE_URL, timezone: 'Z' });
  await eventually(async () => {
    const [[row]] = (await other.query('SELECT leaseUntil FROM jobs WHERE id = ?', [subject.jobId])) as unknown as [
      { leaseUntil: Date }[],
    ];
    return row !== undefined && row.leaseUntil > effects.clock.now();
  });
  await other.end();
  expect(isServed).toBe(false);
  // Idle for longer than the time-out, their connections may be closed by now.
  await Promise.allSettled(taken.map((transaction) => transaction.rollback()));
  await starved;
  release();
  expect(await run).toEqual({ done: true });
});

test('an e-mail whose "sending" was committed without a confirmation › was not sent, and is by the next attempt', async () => {
  const subject = await requested('send-email');
  const losing = { ...worker, services: losesConfirmationOf(1, worker.services) };
  const send = jest.spyOn(worker.email, 'send');
  expect(await effects.run(subject.jobId, losing)).toHaveProperty('nextRunAt');
  expect(send).not.toHaveBeenCalled();
  expect((await emailOf(subject)).status).toBe('queued');
  expect((await effects.runToEnd(subject.jobId)).status).toBe('done');
  expect(await effects.messagesTo(subject.clientEmail)).toHaveLength(1);
});

/** Services whose n-th transaction is committed, and whose confirmation is lost. */
function losesConfirmationOf(nth: number, services: Services): Services {
  let count = 0;
  return {
    ...services,
    perform: async (scope, work) => {
      const result = await services.perform(scope, work);
      if (++count === nth) throw new ServiceUnavailable('the database', new Error('lost while it committed'));
      return result;
    },
  };
}

test.each([
  ['send-email', 2],
  ['create-gateway-invoice', 2],
  ['create-gateway-invoice', 3],
] as const)(
  'an outcome of %s (transaction %i) that was committed without a confirmation › is there once',
  async (what, nth) => {
    const subject = await requested(what);
    const services = losesConfirmationOf(nth, worker.services);
    expect(await effects.run(subject.jobId, { ...worker, services })).toEqual({ done: true });
    expect(await effects.job(subject.jobId)).toMatchObject({ status: 'done', attempt: 1 });
    const types = ['email.sent', 'invoice.payment_link.created'] as const;
    const events = await Promise.all(types.map((type) => effects.eventsOf(subject.invoice.id, type)));
    expect(events.flat()).toHaveLength(1);
    const links = what === 'send-email' ? [] : [{ status: 'active' }];
    expect(await effects.links(subject.invoice.id)).toMatchObject(links);
    expect(await effects.payable(subject.invoice.id)).toHaveLength(links.length);
  },
);

describe('what the gateway did just before MySQL became unreachable', () => {
  /** MySQL is unreachable from the moment at which the gateway has responded to this call. */
  const breakAfter = (operation: 'findOrCreateLink' | 'linksOf'): void => {
    const gateway = worker.gateways.of('xendit');
    const call = gateway[operation].bind(gateway) as (...given: unknown[]) => Promise<never>;
    jest.spyOn(gateway, operation).mockImplementationOnce(async (...given: unknown[]) => {
      const response = await call(...given);
      proxy.cut();
      return response;
    });
  };

  test('a link that was made › is recorded when MySQL is back, and made once', async () => {
    const { jobId, invoice } = await requested('create-gateway-invoice');
    const renew = jest.spyOn(worker.leases, 'renew');
    breakAfter('findOrCreateLink');
    const run = effects.run(jobId, worker);
    await calls(renew, 2);
    proxy.restore();
    expect(await run).toEqual({ done: true });
    expect(await effects.job(jobId)).toMatchObject({ status: 'done', attempt: 1 });
    expect(effects.sandbox.faults.calls.create).toBe(1);
    expect(await effects.payable(invoice.id)).toHaveLength(1);
  });

  test('a payment that was seen › is recorded when MySQL is back', async () => {
    const subject = await requested('create-gateway-invoice');
    await effects.runToEnd(subject.jobId);
    const [link] = await effects.links(subject.invoice.id);
    await effects.pay(link?.gatewayId ?? '');
    const sync = await eventually(async () => (await effects.jobs(subject.companyId, 'syncPaymentLink'))[0]);
    const renew = jest.spyOn(worker.leases, 'renew');
    breakAfter('linksOf');
    const run = effects.run(sync.id, worker);
    await calls(renew, 2);
    proxy.restore();
    expect(await run).toEqual({ done: true });
    expect(await effects.job(sync.id)).toMatchObject({ status: 'done', attempt: 1 });
    expect(await effects.payments(subject.invoice.id)).toHaveLength(1);
  });
});
