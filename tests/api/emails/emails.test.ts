import { listEmails } from '../../../shared/emails';
import { Invoice } from '../../../shared/models';
import { Email } from '../../support/models';
import { createInvoice, createKey } from '../../support/factories';
import { plansOf } from '../../support/plans';
import { Effects, jobIdOf, type Subject } from '../../support/workers';

let effects: Effects;
beforeAll(async () => {
  effects = await Effects.start();
  await effects.startPool(['pdf']);
});
beforeEach(() => effects.mailFault({ reset: true }));

interface EmailJson {
  id: number;
  [field: string]: unknown;
}

const listOf = async ({ as, invoice }: Subject, query = ''): Promise<{ data: EmailJson[]; total: number }> =>
  (await as.get(`/api/invoices/${invoice.id}/emails${query}`).expect(200)).body as { data: EmailJson[]; total: number };

async function request(subject: Subject): Promise<number> {
  await effects.printForEmail(subject);
  const path = `/api/invoices/${subject.invoice.id}/send-email`;
  return jobIdOf(await subject.as.post(path).set('Prefer', 'respond-async').expect(202));
}

async function uncertain(): Promise<Subject & { jobId: number; emailId: number }> {
  const subject = await effects.invoice();
  const jobId = await request(subject);
  await effects.mailFault({ mode: 'break', stage: 'reply' });
  expect((await effects.runToEnd(jobId)).status).toBe('uncertain');
  const [email] = (await listOf(subject)).data;
  return { ...subject, jobId, emailId: email?.id ?? 0 };
}

const settle = ({ as, invoice }: Subject, emailId: number, outcome: string) =>
  as.post(`/api/invoices/${invoice.id}/emails/${emailId}/settle`).send({ outcome });

describe('GET /api/invoices/{id}/emails', () => {
  test('shows what became of each e-mail, the newest first', async () => {
    const subject = await effects.invoice();
    const sent = await request(subject);
    await effects.runToEnd(sent);
    const refused = await request(subject);
    await effects.mailFault({ mode: 'refuse', stage: 'rcpt', code: 550 });
    await effects.runToEnd(refused);
    const queued = await request(subject);

    const text = expect.any(String) as string;
    const nothing = { providerMessageId: null, sentAt: null, deliveredAt: null, openedAt: null, bouncedAt: null };
    const same = { id: expect.any(Number) as number, kind: 'invoice', to: subject.clientEmail, messageId: text };
    const body = await listOf(subject);
    expect(body).toEqual({
      data: [
        { ...same, ...nothing, status: 'queued', jobId: queued, requestedAt: text, error: null },
        {
          ...{ ...same, ...nothing, status: 'failed', jobId: refused, requestedAt: text },
          error: { code: 'email_refused', message: expect.stringContaining('550') as string },
        },
        {
          ...{ ...same, ...nothing, status: 'sent', jobId: sent, requestedAt: text, sentAt: text, error: null },
          providerMessageId: text,
        },
      ],
      ...{ total: 3, page: 1, limit: 10, totalPages: 1 },
    });
    const [, , first] = body.data;
    expect((await listOf(subject, '?sortOrder=asc&limit=1')).data).toEqual([first]);
    expect((await listOf(subject, '?page=3&limit=1&sortBy=id')).data).toEqual([first]);
    expect(await listOf(subject, '?page=9')).toMatchObject({ data: [], total: 3 });
  });

  test('of an e-mail that is uncertain › says why', async () => {
    const subject = await uncertain();
    expect((await listOf(subject)).data).toMatchObject([
      { status: 'uncertain', jobId: subject.jobId, error: { code: 'delivery_uncertain' } },
    ]);
  });

  test('of an e-mail of an earlier version › shows null for what is not known', async () => {
    const { companyId, invoice, ...subject } = await effects.invoice();
    await effects.services.sql.run(
      `INSERT INTO emails (companyId, invoiceId, messageId, recipient, status, createdAt, updatedAt)
        VALUES (?, ?, 'old@a.example', 'a@b.example', 'failed', UTC_TIMESTAMP(3), UTC_TIMESTAMP(3))`,
      [companyId, invoice.id],
    );
    expect((await listOf({ ...subject, companyId, invoice })).data).toMatchObject([
      { kind: 'invoice', to: 'a@b.example', status: 'failed', jobId: null, error: null },
    ]);
  });

  test('of a deleted invoice › only with includeDeleted; of none, or another company’s › 404', async () => {
    const [subject, other] = [await effects.invoice(), await effects.invoice()];
    await request(subject);
    await subject.as.delete(`/api/invoices/${subject.invoice.id}`).expect(200);
    const path = `/api/invoices/${subject.invoice.id}/emails`;
    await subject.as.get(path).expect(404);
    expect((await listOf(subject, '?includeDeleted=true')).total).toBe(1);
    await other.as.get(`${path}?includeDeleted=true`).expect(404);
    await other.as.get('/api/invoices/0/emails').expect(404);
    await other.as.get('/api/invoices/x/emails').expect(400);
    await other.as.get(`/api/invoices/${other.invoice.id}/emails?sortBy=to`).expect(400);
    await effects.api.as().get(path).expect(401);
  });

  test('is read by the index of the invoice', async () => {
    const { companyId, invoice } = await effects.invoice();
    const query = { page: 1, limit: 10, sortBy: 'requestedAt', sortOrder: 'desc', includeDeleted: false } as const;
    const plans = await plansOf(effects.services.sql, (sql) => listEmails(sql, companyId, invoice.id, query));
    const steps = plans.flat().filter(({ table }) => table === 'm');
    expect(steps.length).toBeGreaterThan(0);
    for (const { key } of steps) expect(['emails_by_invoice', 'PRIMARY']).toContain(key);
  });
});

describe('POST /api/invoices/{id}/emails/{emailId}/settle', () => {
  test('sent › responds with the e-mail; the draft becomes sent, the job is done', async () => {
    const subject = await uncertain();
    const { body } = await settle(subject, subject.emailId, 'sent').expect(200);
    expect(body).toMatchObject({
      id: subject.emailId,
      status: 'sent',
      error: null,
      sentAt: expect.any(String) as string,
    });
    expect((await listOf(subject)).data).toEqual([body]);
    expect(await Invoice.findOne({ where: { id: subject.invoice.id } })).toMatchObject({ status: 'sent' });
    expect(await effects.job(subject.jobId)).toMatchObject({ status: 'done' });
    const { body: problem } = await settle(subject, subject.emailId, 'not_sent').expect(409);
    expect(problem).toMatchObject({ code: 'email_not_uncertain' });
  });

  test('not_sent › the e-mail failed, and says why; its job can be retried and sends it', async () => {
    const subject = await uncertain();
    const { body } = await settle(subject, subject.emailId, 'not_sent').expect(200);
    expect(body).toMatchObject({ status: 'failed', error: { code: 'email_unavailable' }, sentAt: null });
    expect(await effects.job(subject.jobId)).toMatchObject({ status: 'failed' });
    expect(await effects.eventsOf(subject.invoice.id, 'email.failed')).toHaveLength(1);
  });

  test('under an Idempotency-Key › is carried out once and responds with the same', async () => {
    const subject = await uncertain();
    const first = await settle(subject, subject.emailId, 'sent').set('Idempotency-Key', 'a').expect(200);
    const again = await settle(subject, subject.emailId, 'sent').set('Idempotency-Key', 'a').expect(200);
    expect(again.body).toEqual(first.body);
    expect(again.headers['idempotent-replayed']).toBe('true');
    await settle(subject, subject.emailId, 'not_sent').set('Idempotency-Key', 'a').expect(422);
    expect(await effects.eventsOf(subject.invoice.id, 'email.sent')).toHaveLength(1);
  });

  test('at the same time with another outcome › one of them is recorded', async () => {
    const subject = await uncertain();
    const statuses = await Promise.all(
      ['sent', 'not_sent'].map(async (outcome) => (await settle(subject, subject.emailId, outcome)).status),
    );
    expect(statuses.sort()).toEqual([200, 409]);
  });

  test('of another invoice, another company, a deleted invoice or none › 404 and nothing changes', async () => {
    const [subject, other] = [await uncertain(), await effects.invoice()];
    const { companyId, emailId } = subject;
    const sibling = await createInvoice(effects.services, companyId);
    await settle({ ...subject, invoice: sibling }, emailId, 'sent').expect(404);
    await settle(other, emailId, 'sent').expect(404);
    await settle({ ...subject, as: other.as }, emailId, 'sent').expect(404);
    await settle(subject, 999_999_999, 'sent').expect(404);
    await settle(subject, 0, 'sent').expect(404);
    await subject.as.delete(`/api/invoices/${subject.invoice.id}`).expect(200);
    await settle(subject, emailId, 'sent').expect(404);
    expect(await Email.findOne({ where: { id: emailId } })).toMatchObject({ status: 'uncertain' });
    // Not 409: that would tell that there is such an e-mail.
    await Email.update({ status: 'sent' }, { where: { id: emailId } });
    await settle({ ...subject, invoice: sibling }, emailId, 'sent').expect(404);
  });

  test('with another outcome, or by a key that may only read › is refused', async () => {
    const subject = await uncertain();
    for (const outcome of ['lost', '', null, 1]) await settle(subject, subject.emailId, outcome as string).expect(400);
    await subject.as.post(`/api/invoices/${subject.invoice.id}/emails/${subject.emailId}/settle`).expect(400);
    const reader = await createKey(effects.services, subject.companyId, { scopes: ['read'] });
    await settle({ ...subject, as: effects.api.as(reader.token) }, subject.emailId, 'sent').expect(403);
  });
});
