import { Email } from '../../support/models';
import { listTimeline } from '../../../shared/timeline';
import { createCategory, createExpense, createInvoice } from '../../support/factories';
import { plansOf } from '../../support/plans';
import { Effects, jobIdOf, type Subject } from '../../support/workers';

let effects: Effects;
beforeAll(async () => {
  effects = await Effects.start();
  await effects.startPool(['pdf']);
});
beforeEach(() => effects.mailFault({ reset: true }));

/** The numbers from 0 to 9, as a table. */
const digits = `(${Array.from({ length: 10 }, (_, n) => `SELECT ${n} AS n`).join(' UNION ')})`;

interface Timeline {
  data: { at: string; type: string; actor: string; summary: string; data: object }[];
  total: number;
}

const timelineOf = async ({ as }: Pick<Subject, 'as'>, path: string): Promise<Timeline> =>
  (await as.get(path).expect(200)).body as Timeline;

test('the timeline of an invoice › is everything that happened to it, the oldest first', async () => {
  const subject = await effects.invoice();
  const { as, invoice, companyId } = subject;
  await createInvoice(effects.services, companyId);
  await as.put(`/api/invoices/${invoice.id}`).send({ notes: 'x' }).expect(200);
  await effects.printForEmail(subject);
  const path = `/api/invoices/${invoice.id}`;
  const jobId = jobIdOf(await as.post(`${path}/send-email`).set('Prefer', 'respond-async').expect(202));
  await effects.mailFault({ mode: 'break', stage: 'reply' });
  await effects.runToEnd(jobId);
  const { id: emailId } = await Email.findOne({ where: { invoiceId: invoice.id }, rejectOnEmpty: true });
  await as.post(`${path}/emails/${emailId}/settle`).send({ outcome: 'sent' }).expect(200);
  const { body } = await as.get('/api/api-keys').expect(200);
  const actor = `api-key:${(body as { data: [{ id: number }] }).data[0].id}`;

  const timeline = await timelineOf(subject, `${path}/timeline`);
  const to = subject.clientEmail;
  expect(timeline.data.map(({ actor, type, summary }) => [actor, type, summary])).toEqual([
    ['test', 'invoice.created', 'Created as draft, 220.00 IDR'],
    [actor, 'invoice.updated', 'Changed notes'],
    [actor, 'email.requested', `E-mail to ${to} was requested`],
    ['job:sendInvoiceEmail', 'email.uncertain', expect.stringContaining(`E-mail to ${to} may or may not`) as string],
    [actor, 'email.sent', `E-mail to ${to} was accepted by the mail provider`],
    [actor, 'invoice.sent', 'The status changed from draft to sent'],
  ]);
  expect(timeline).toMatchObject({ total: 6, page: 1, limit: 10, totalPages: 1 });
  expect(timeline.data[0]).toEqual({
    at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) as string,
    ...{ type: 'invoice.created', actor: 'test', summary: 'Created as draft, 220.00 IDR' },
    data: {
      ...{ invoiceNumber: invoice.invoiceNumber, status: 'draft', total: '220.00', currency: 'IDR' },
      ...{ clientId: invoice.clientId, externalId: null },
    },
  });
  const times = timeline.data.map(({ at }) => at);
  expect(times).toEqual([...times].sort());
  const second = await timelineOf(subject, `${path}/timeline?page=2&limit=2`);
  expect(second).toMatchObject({ data: timeline.data.slice(2, 4), total: 6, totalPages: 3 });
});

test('the timeline of an expense › is everything that happened to it', async () => {
  const subject = await effects.invoice();
  const { id: categoryId } = await createCategory(effects.services, subject.companyId);
  const { id } = await createExpense(effects.services, subject.companyId, { categoryId });
  await subject.as.put(`/api/expenses/${id}`).send({ status: 'approved', vendor: 'Other' }).expect(200);
  const { data } = await timelineOf(subject, `/api/expenses/${id}/timeline`);
  expect(data.map(({ type, summary }) => [type, summary])).toEqual([
    ['expense.created', 'Created as pending, 42.50 IDR'],
    ['expense.approved', 'The status changed from pending to approved'],
    ['expense.updated', 'Changed vendor and status'],
  ]);
});

test('events of earlier and later versions › have a sentence, too', async () => {
  const subject = await effects.invoice();
  const { companyId, invoice } = subject;
  for (const [type, data] of [
    ['invoice.email.requested', '{"emailId":1}'],
    ['email.sent', '{"emailId":1,"providerMessageId":"x"}'],
    ['invoice.made_up_later', '{"a":{"b":1}}'],
  ] as const) {
    await effects.services.sql.run(
      `INSERT INTO events (companyId, type, actor, subjectType, subjectId, data, createdAt)
        VALUES (?, ?, 'cli', 'invoice', ?, ?, UTC_TIMESTAMP(3))`,
      [companyId, type, invoice.id, data],
    );
  }
  const { data } = await timelineOf(subject, `/api/invoices/${invoice.id}/timeline`);
  expect(data.slice(1).map(({ summary, data: shown }) => [summary, shown])).toEqual([
    ['Invoice email requested', { emailId: 1 }],
    ['An e-mail was accepted by the mail provider', { emailId: 1, providerMessageId: 'x' }],
    ['Invoice made up later', { a: { b: 1 } }],
  ]);
});

test('of a deleted record › is read with includeDeleted; of none, or another company’s › 404', async () => {
  const [subject, other] = [await effects.invoice(), await effects.invoice()];
  const path = `/api/invoices/${subject.invoice.id}`;
  await other.as.get(`${path}/timeline`).expect(404);
  await subject.as.get(`/api/expenses/${subject.invoice.id}/timeline`).expect(404);
  await subject.as.delete(path).expect(200);
  await subject.as.get(`${path}/timeline`).expect(404);
  const { data } = await timelineOf(subject, `${path}/timeline?includeDeleted=true`);
  expect(data.map(({ summary }) => summary)).toEqual(['Created as draft, 220.00 IDR', 'Invoice deleted']);
  await other.as.get(`${path}/timeline?includeDeleted=true`).expect(404);
  await subject.as.get('/api/invoices/0/timeline').expect(404);
  await subject.as.get('/api/invoices/x/timeline').expect(400);
  await subject.as.get(`${path}/timeline?page=0`).expect(400);
});

test('a timeline with large changes › is complete', async () => {
  const subject = await effects.invoice();
  const path = `/api/invoices/${subject.invoice.id}`;
  for (let n = 0; n < 60; n += 1) {
    const notes = String.fromCharCode(0x4e00 + n).repeat(10_000);
    await subject.as.put(path).send({ notes }).expect(200);
  }
  const { data, total } = await timelineOf(subject, `${path}/timeline?limit=100`);
  expect([data.length, total, data.at(-1)?.summary]).toEqual([61, 61, 'Changed notes']);
});

test('is read by the index of the subject, whatever else happened in the company', async () => {
  const { companyId, invoice, as } = await effects.invoice();
  for (const notes of ['a', 'b']) await as.put(`/api/invoices/${invoice.id}`).send({ notes }).expect(200);
  // A thousand times as much happened to other invoices.
  await effects.services.sql.run(
    `INSERT INTO events (companyId, type, actor, subjectType, subjectId, data, createdAt)
      SELECT companyId, type, actor, subjectType, 1000000 + a.n + 10 * b.n + 100 * c.n, data, createdAt
        FROM events, ${digits} a, ${digits} b, ${digits} c WHERE companyId = ? AND subjectType = 'invoice'`,
    [companyId],
  );
  await effects.services.sql.rows('ANALYZE TABLE events');
  const kind = { name: 'invoice', table: 'invoices' } as const;
  const request = { page: 1, limit: 10, includeDeleted: false };
  const plans = await plansOf(effects.services.sql, (sql) => listTimeline(sql, companyId, kind, invoice.id, request));
  const keys = plans
    .flat()
    .filter(({ table }) => table === 'v')
    .map(({ key }) => key);
  expect(keys).toContain('events_by_subject');
  for (const key of keys) expect(['events_by_subject', 'PRIMARY', 'events_id']).toContain(key);
});
