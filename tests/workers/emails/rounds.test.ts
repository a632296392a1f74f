import { createConnection } from 'mysql2/promise';
import { lockEmailsOfInvoices } from '../../../shared/emails';
import { loadInvoiceDocuments } from '../../../shared/invoiceDocuments';
import { updateInvoice } from '../../../shared/invoices/updateInvoice';
import { Event } from '../../support/models';
import { verifyCounts } from '../../../shared/engine/records/verifyCounts';
import type { RunOutcome, Tools } from '../../../workers/jobs/JobRun';
import { runJob } from '../../../workers/jobs/runJob';
import { registry } from '../../../workers/registry';
import { createClient, createInvoice } from '../../support/factories';
import { installation } from '../../support/installation';
import { plansOf } from '../../support/plans';
import { inRounds } from '../../support/rounds';
import { Effects, jobIdOf, type Subject } from '../../support/workers';

/** E-mails of one company whose runs reach each stage at the same time, so that each stage is one round. */
let effects: Effects;
beforeAll(async () => {
  effects = await Effects.start({ PUBLIC_URL: 'https://billing.example.com' });
  await effects.startPool(['pdf']);
});

type Requested = Subject & { jobId: number };

const requestOf = async (subject: Subject): Promise<Requested> => {
  await effects.printForEmail(subject);
  const path = `/api/invoices/${subject.invoice.id}/send-email`;
  const response = await subject.as.post(path).set('Prefer', 'respond-async').expect(202);
  return { ...subject, jobId: jobIdOf(response) };
};

/** The requested e-mails of so many drafts of one company, each of a client of its own. */
async function requested(count: number, changes: Parameters<Effects['invoice']>[0] = {}): Promise<Requested[]> {
  const first = await effects.invoice(changes);
  const { companyId } = first;
  const all: Requested[] = [await requestOf(first)];
  while (all.length < count) {
    const client = await createClient(effects.services, companyId);
    const invoice = await createInvoice(effects.services, companyId, { clientId: client.id, ...changes });
    all.push(await requestOf({ ...first, clientId: client.id, clientEmail: client.email ?? '', invoice }));
  }
  return all;
}

const run = (
  all: readonly { jobId: number }[],
  tools = inRounds(effects.tools, { count: all.length }),
): Promise<RunOutcome[]> => Promise.all(all.map(({ jobId }) => effects.run(jobId, tools)));

const eventsOf = async ({ companyId, invoice }: Subject) =>
  Event.findAll({ where: { companyId, subjectType: 'invoice', subjectId: invoice.id }, order: ['id'] });
const typesOf = async (subject: Subject): Promise<string[]> => (await eventsOf(subject)).map(({ type }) => type);
const emailOf = async ({ invoice }: Subject) => (await effects.emails(invoice.id))[0];
const statusOf = async ({ as, invoice }: Subject): Promise<string> =>
  ((await as.get(`/api/invoices/${invoice.id}`).expect(200)).body as { status: string }).status;

/** Locks a row on a connection of its own. Resolves with a function that releases it. */
async function hold(table: 'invoices' | 'clients', id: number): Promise<() => Promise<void>> {
  const connection = await createConnection((await installation()).DATABASE_URL ?? '');
  await connection.beginTransaction();
  await connection.query(`SELECT id FROM ${table} WHERE id = ? FOR UPDATE`, [id]);
  return async () => {
    await connection.rollback();
    await connection.end();
  };
}

function never(): never {
  throw new Error('there is at least one e-mail');
}

test.each([1, 2, 32])('a round of %i first e-mails › records each as one alone would', async (count) => {
  const all = await requested(count);
  const perform = jest.spyOn(effects.services, 'perform');
  expect(await run(all)).toEqual(all.map(() => ({ done: true })));
  expect(perform).toHaveBeenCalledTimes(2);
  for (const subject of all) {
    const email = await emailOf(subject);
    const job = await effects.job(subject.jobId);
    expect(email).toMatchObject({ status: 'sent', sentAt: expect.any(Date) as Date, errorCode: null });
    expect(job).toMatchObject({ status: 'done', attempt: 1, leaseUntil: null, lastError: null });
    expect(JSON.parse(job.result ?? '')).toEqual({ emailId: email?.providerMessageId });
    const messages = await effects.messagesTo(subject.clientEmail);
    expect(messages.map(({ summary }) => summary.messageId)).toEqual([email?.messageId]);
    const { body } = await subject.as.get(`/api/invoices/${subject.invoice.id}/hosted-page`).expect(200);
    expect(messages[0]?.text).toContain((body as { url: string }).url);
    expect(await statusOf(subject)).toBe('sent');
    const events = await eventsOf(subject);
    expect(events.map(({ type }) => type)).toEqual([
      'invoice.created',
      'email.requested',
      'email.sent',
      'invoice.sent',
    ]);
    expect(events.slice(2)).toMatchObject(
      [1, 2].map(() => ({ actor: 'job:sendInvoiceEmail', requestId: job.requestId })),
    );
    expect(JSON.parse(events[2]?.data ?? '')).toMatchObject({ emailId: email?.id, to: subject.clientEmail });
  }
  const { companyId } = all[0] ?? never();
  const wrong = effects.services.perform({ companyId, actor: 'test' }, (uow) => verifyCounts(uow, { repair: false }));
  expect(await wrong).toEqual([]);
});

describe('a row that is locked elsewhere', () => {
  test.each([
    ['begins', 0, 'queued'],
    ['is recorded', 1, 'sending'],
  ] as const)(
    'the invoice of one e-mail, before it %s › the others of the round do not wait',
    async (when, nth, status) => {
      const all = await requested(4);
      const [locked = never(), ...others] = all;
      let release: () => Promise<void> = () => Promise.resolve();
      const lock = async (): Promise<void> => {
        release = await hold('invoices', locked.invoice.id);
      };
      const tools =
        when === 'begins'
          ? inRounds(effects.tools, { count: 4, then: lock }, { count: 3 })
          : inRounds(effects.tools, { count: 4 }, { count: 4, then: lock });
      const perform = jest.spyOn(effects.services, 'perform');
      const [run, ...ofOthers] = all.map(({ jobId }) => effects.run(jobId, tools));
      expect(await Promise.all(ofOthers)).toEqual(others.map(() => ({ done: true })));
      // The transaction of all four: one that waited for the lock would have failed in the end.
      const round = perform.mock.results[nth]?.value as Promise<unknown>;
      expect((await round) as (object | null)[]).toHaveLength(4);
      expect((await effects.job(locked.jobId)).status).not.toBe('done');
      expect((await emailOf(locked))?.status).toBe(status);
      await release();
      await run;
      expect(await effects.runToEnd(locked.jobId)).toMatchObject({ status: 'done' });
      expect((await emailOf(locked))?.status).toBe('sent');
      for (const subject of all) expect(await effects.messagesTo(subject.clientEmail)).toHaveLength(1);
    },
  );
});

test('the client of an invoice, locked elsewhere › holds up neither the request nor the e-mail', async () => {
  const [subject = never()] = await requested(1);
  const release = await hold('clients', subject.clientId);
  const path = `/api/invoices/${subject.invoice.id}/send-email`;
  const second = jobIdOf(await subject.as.post(path).set('Prefer', 'respond-async').expect(202));
  expect(await run([subject, { jobId: second }])).toEqual([{ done: true }, { done: true }]);
  await release();
});

describe('a round in which another run has claimed one of the jobs', () => {
  const supersede = ({ jobId }: Requested) =>
    effects.services.sql.run('UPDATE jobs SET attempt = attempt + 1 WHERE id = ?', [jobId]);

  test('before it is recorded › the others are recorded, and this one is not', async () => {
    const all = await requested(4);
    const superseded = all[1] ?? never();
    await run(
      all,
      inRounds(effects.tools, { count: all.length }, { count: all.length, then: () => supersede(superseded) }),
    );
    for (const subject of all) {
      const isOwn = subject !== superseded;
      expect(await effects.job(subject.jobId)).toMatchObject(
        isOwn ? { status: 'done', attempt: 1 } : { status: 'running', attempt: 2 },
      );
      expect((await emailOf(subject))?.status).toBe(isOwn ? 'sent' : 'sending');
      expect(await statusOf(subject)).toBe(isOwn ? 'sent' : 'draft');
      expect((await typesOf(subject)).filter((type) => type === 'email.sent')).toHaveLength(isOwn ? 1 : 0);
    }
  });

  test('before it begins › the others are sent, and this one is not handed over', async () => {
    const all = await requested(4);
    const superseded = all[2] ?? never();
    const others = all.filter((subject) => subject !== superseded);
    const begins = { count: all.length, then: () => supersede(superseded) };
    await run(all, inRounds(effects.tools, begins, { count: others.length }));
    expect((await emailOf(superseded))?.status).toBe('queued');
    expect(await effects.job(superseded.jobId)).toMatchObject({ status: 'running', attempt: 2 });
    expect(await effects.messagesTo(superseded.clientEmail)).toEqual([]);
    for (const subject of others) {
      expect((await emailOf(subject))?.status).toBe('sent');
      expect(await effects.messagesTo(subject.clientEmail)).toHaveLength(1);
    }
  });
});

test('a round with an e-mail that the provider has reported already › all are recorded, and that one keeps what is known', async () => {
  const all = await requested(3);
  const reported = all[0] ?? never();
  const { sql } = effects.services;
  const report = (): Promise<unknown> =>
    sql.run("UPDATE emails SET status = 'delivered', sentAt = createdAt WHERE invoiceId = ?", [reported.invoice.id]);
  expect(await run(all, inRounds(effects.tools, { count: all.length }, { count: all.length, then: report }))).toEqual(
    all.map(() => ({ done: true })),
  );
  expect(await Promise.all(all.map(async (subject) => (await emailOf(subject))?.status))).toEqual([
    'delivered',
    'sent',
    'sent',
  ]);
  const told = await Promise.all(all.map(async (subject) => (await typesOf(subject)).includes('email.sent')));
  expect(told).toEqual([false, true, true]);
});

test('two e-mails of one draft in a round › both are sent, and the draft becomes sent once', async () => {
  const [subject = never()] = await requested(1);
  const path = `/api/invoices/${subject.invoice.id}/send-email`;
  const second = jobIdOf(await subject.as.post(path).set('Prefer', 'respond-async').expect(202));
  expect(await run([subject, { jobId: second }])).toEqual([{ done: true }, { done: true }]);
  expect(await effects.messagesTo(subject.clientEmail)).toHaveLength(2);
  const types = await typesOf(subject);
  expect(types.filter((type) => type === 'invoice.sent')).toHaveLength(1);
  expect(types.filter((type) => type === 'email.sent')).toHaveLength(2);
});

test('a round in which one message is refused for good, one for now, and one invoice was cancelled › each ends as alone', async () => {
  const all = await requested(4);
  const [refused = never(), retried = never(), cancelled = never(), sent = never()] = all;
  await effects.services.perform({ companyId: cancelled.companyId, actor: 'test' }, (uow) =>
    updateInvoice(uow, cancelled.invoice.id, { status: 'cancelled' }),
  );
  const tools = inRounds(effects.tools, { count: all.length });
  const { email } = effects.tools;
  const turned = new Map([
    [refused.clientEmail, 550],
    [retried.clientEmail, 451],
  ]);
  // One after the other, so that each fault meets its message.
  let sending: Promise<unknown> = Promise.resolve();
  const send: typeof email.send = (message, signal) => {
    const one = sending.then(async () => {
      const code = turned.get(message.to[0]?.address ?? '');
      if (code !== undefined) await effects.mailFault({ mode: 'refuse', stage: 'rcpt', code });
      return email.send(message, signal);
    });
    sending = one.catch(() => undefined);
    return one;
  };
  expect(await run(all, { ...tools, email: { send, close: () => email.close() } })).toMatchObject([
    { failed: expect.any(Error) as Error },
    { nextRunAt: expect.any(Date) as Date },
    { failed: expect.any(Error) as Error },
    { done: true },
  ]);
  expect(await Promise.all(all.map(async (subject) => (await emailOf(subject))?.status))).toEqual([
    'failed',
    'queued',
    'failed',
    'sent',
  ]);
  expect(JSON.parse((await effects.job(cancelled.jobId)).lastError ?? '')).toMatchObject({ code: 'invoice_cancelled' });
  expect((await effects.runToEnd(retried.jobId)).status).toBe('done');
  for (const [{ clientEmail }, count] of [
    [refused, 0],
    [retried, 1],
    [cancelled, 0],
    [sent, 1],
  ] as const) {
    expect(await effects.messagesTo(clientEmail)).toHaveLength(count);
  }
});

test('what a round reads › is found by primary keys', async () => {
  const all = await requested(8);
  const { companyId } = all[0] ?? never();
  const ids = all.map(({ invoice }) => invoice.id);
  const wanted = await Promise.all(
    all.map(async (subject) => ({ invoiceId: subject.invoice.id, emailId: (await emailOf(subject))?.id ?? 0 })),
  );
  const { services } = effects;
  const plans = await plansOf(services.sql, (sql) =>
    services.perform({ companyId, actor: 'test' }, async (uow) => {
      await lockEmailsOfInvoices({ ...uow, sql }, wanted, true);
      await loadInvoiceDocuments({ ...services, sql }, companyId, ids);
    }),
  );
  const keys = plans.map((plan) => new Map(plan.map(({ table, key }) => [table, key])));
  expect(keys.map((plan) => plan.get('i'))).toEqual(['PRIMARY', 'PRIMARY']);
  expect(keys[0]?.get('emails')).toBe('PRIMARY');
  expect(plans.flat().filter(({ type }) => type === 'ALL')).toEqual([]);
});

const items = (count: number) =>
  Array.from({ length: count }, () => ({ description: 'Work', quantity: '1.00', unitPrice: '1.00' }));

test('a round of long documents › other work runs between any two of them', async () => {
  const { invoice, companyId, clientId } = await effects.invoice({ items: items(300) });
  const another = await createInvoice(effects.services, companyId, { clientId, items: items(300) });
  const { services } = effects;
  let iterations = 0;
  const sql = {
    ...services.sql,
    rows: async <T extends object>(...statement: Parameters<typeof services.sql.rows>): Promise<T[]> => {
      const rows = await services.sql.rows<T>(...statement);
      setImmediate(() => (iterations += 1));
      return rows;
    },
  };
  const loaded = await loadInvoiceDocuments({ ...services, sql }, companyId, [invoice.id, another.id]);
  expect(loaded.map((one) => one?.document.items.length)).toEqual([300, 300]);
  expect(iterations).toBe(1);
});

test('the e-mail of a long document › its company is charged for each item, and for the bytes of the PDF', async () => {
  const subject = await effects.invoice({ items: items(40) });
  const { jobId } = await requestOf(subject);
  const charges: number[] = [];
  const { tools } = effects;
  let bytes = 0;
  const email: Tools['email'] = {
    close: () => tools.email.close(),
    send: (message, signal) => {
      bytes = message.attachments[0]?.content.length ?? 0;
      return tools.email.send(message, signal);
    },
  };
  await runJob({ ...tools, email }, registry, jobId, new AbortController().signal, 0, (ms) => charges.push(ms));
  expect(bytes).toBeGreaterThan(0);
  expect(charges).toEqual([1, bytes * 15e-6]);
});
