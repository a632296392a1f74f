import { eventTypes } from '../../shared/eventTypes';
import { settleEmail } from '../../shared/emails';
import { jobContracts } from '../../shared/jobContracts';
import { retryJob } from '../../shared/engine/jobs/retryJob';
import { Email, Invoice } from '../../shared/models';
import { recordedTypes, wrongEvents } from '../support/events';
import { createCategory, expenseInput } from '../support/factories';
import { png } from '../support/images';
import { sendGridEvent, sendGridKeys, signed } from '../support/sendGrid';
import { runAllSchedules } from '../support/schedules';
import { storeEndpoint } from '../support/webhooks';
import { Effects, jobIdOf, type Subject } from '../support/workers';
import { recordTurn } from '../../workers/webhooks/recordTurn';

const keys = sendGridKeys();
let effects: Effects;

beforeAll(async () => {
  effects = await Effects.start({ SENDGRID_WEBHOOK_PUBLIC_KEY: keys.publicKey });
  await effects.startPool(['pdf']);
});
beforeEach(async () => {
  await effects.mailFault({ reset: true });
  await effects.gatewayFault({ reset: true });
});

async function requestEmail(subject: Subject): Promise<number> {
  await effects.printForEmail(subject);
  const path = `/api/invoices/${subject.invoice.id}/send-email`;
  return jobIdOf(await subject.as.post(path).set('Prefer', 'respond-async').expect(202));
}

async function requestLink(subject: Subject): Promise<void> {
  const path = `/api/invoices/${subject.invoice.id}/create-gateway-invoice`;
  await effects.runToEnd(jobIdOf(await subject.as.post(path).set('Prefer', 'respond-async').expect(202)));
}

/** What records the events that are recorded nowhere else in this file. */
const happenings: Record<string, () => Promise<void>> = {
  'an expense is approved, rejected and deleted': async () => {
    const { companyId, as } = await effects.invoice();
    const { id: categoryId } = await createCategory(effects.services, companyId);
    const { headers } = await as.post('/api/expenses').send(expenseInput(categoryId)).expect(201);
    const path = headers['location'] ?? '';
    for (const status of ['approved', 'rejected']) await as.put(path).send({ status }).expect(200);
    await as.delete(path).expect(200);
    await as.put(`/api/categories/${categoryId}`).send({ name: 'Renamed' }).expect(200);
    await as.delete(`/api/categories/${categoryId}`).expect(200);
  },
  'an invoice is cancelled and deleted, its client too': async () => {
    const { as, invoice, clientId } = await effects.invoice();
    await as.put(`/api/invoices/${invoice.id}`).send({ status: 'cancelled' }).expect(200);
    await as.delete(`/api/invoices/${invoice.id}`).expect(200);
    await as.put(`/api/clients/${clientId}`).send({ name: 'Renamed' }).expect(200);
    await as.delete(`/api/clients/${clientId}`).expect(200);
  },
  'a company, its receipts and its keys are changed': async () => {
    const { as } = await effects.invoice();
    await as.put('/api/company').send({ phone: '1' }).expect(200);
    await as.post('/api/receipts').attach('file', png(), 'a.png').expect(201);
    const expiresAt = new Date(effects.clock.now().getTime() + 86_400_000).toISOString();
    const { body } = await as.post('/api/api-keys').send({ name: 'a', expiresAt }).expect(201);
    await as.delete(`/api/api-keys/${(body as { id: number }).id}`).expect(200);
  },
  'a webhook endpoint responds with 410, and another one only fails': async () => {
    const { companyId } = await effects.invoice();
    for (const disable of ['gone', 'failing'] as const) {
      const { id, position } = await storeEndpoint(effects.services, companyId);
      const turn = { companyId, id, run: 0 };
      const health = { failures: 1, failingSince: effects.clock.now() };
      const record = { from: position, to: position, health, events: [], retries: [], disable, isLast: true };
      await effects.services.perform({ companyId, actor: 'test' }, (uow) => recordTurn(uow, turn, record));
    }
  },
  'a webhook endpoint is changed': async () => {
    const { as } = await effects.invoice();
    const { headers } = await as.post('/api/webhook-endpoints').send({ url: 'https://receiver.example' }).expect(201);
    const path = headers['location'] ?? '';
    await as
      .put(path)
      .send({ types: ['invoice.*'], url: 'https://other.example' })
      .expect(200);
    await as.post(`${path}/rotate-secret`).expect(200);
    await as.delete(path).expect(200);
  },
  'an e-mail is refused, and its job is retried': async () => {
    const subject = await effects.invoice();
    const jobId = await requestEmail(subject);
    await effects.mailFault({ mode: 'refuse', stage: 'rcpt', code: 550 });
    expect((await effects.runToEnd(jobId)).status).toBe('failed');
    const scope = { companyId: subject.companyId, actor: 'cli' };
    await effects.services.perform(scope, (uow) => retryJob(uow, jobContracts, jobId));
    expect((await effects.runToEnd(jobId)).status).toBe('done');
  },
  'the mail provider reports on an e-mail': async () => {
    const subject = await effects.invoice();
    await effects.runToEnd(await requestEmail(subject));
    const { messageId } = await Email.findOne({ where: { invoiceId: subject.invoice.id }, rejectOnEmpty: true });
    const events = ['delivered', 'bounce', 'spamreport'].map((event) => sendGridEvent(event, messageId));
    const text = JSON.stringify(events);
    const headers = signed(keys, text, effects.clock.now());
    await effects.api.as().post('/webhooks/email/sendgrid').set(headers).send(text).expect(200);
  },
  'a client is reminded of an invoice, and of another one is not': async () => {
    const { as, companyId, invoice, clientId } = await effects.invoice({ status: 'sent' });
    await as
      .put('/api/company')
      .send({ reminderDays: [0, 1] })
      .expect(200);
    const [due] = await effects.services.sql.rows<{ dueDate: string; later: string }>(
      'SELECT dueDate, dueDate + INTERVAL 1 DAY AS later FROM invoices WHERE companyId = ? AND id = ?',
      [companyId, invoice.id],
    );
    await runAllSchedules(effects.services, { asOf: due?.dueDate ?? '' });
    await effects.runEverything(companyId);
    await as.put(`/api/clients/${clientId}`).send({ reminders: false }).expect(200);
    await runAllSchedules(effects.services, { asOf: due?.later ?? '' });
  },
  'an invoice with autoSend recurs, and its client has no e-mail address': async () => {
    const { as, companyId, invoice, clientId } = await effects.invoice();
    const path = `/api/invoices/${invoice.id}/recurrence`;
    await as.put(path).send({ recurring: 'monthly', autoSend: true }).expect(200);
    await as.put(`/api/clients/${clientId}`).send({ email: null }).expect(200);
    const [due] = await effects.services.sql.rows<{ day: string }>(
      'SELECT nextDueDate AS day FROM invoices WHERE companyId = ? AND id = ?',
      [companyId, invoice.id],
    );
    await runAllSchedules(effects.services, { asOf: due?.day ?? '' });
  },
  'a payment that was made elsewhere is recorded and voided': async () => {
    const { as, invoice } = await effects.invoice();
    const path = `/api/invoices/${invoice.id}/payments`;
    const { body } = await as.post(path).send({ amount: 1_000, reference: 'TX-1' }).expect(201);
    await as.delete(`${path}/${(body as { id: number }).id}`).expect(200);
  },
  'a credit note is issued and e-mailed': async () => {
    const { as, invoice } = await effects.invoice({ status: 'sent' });
    const { body } = await as.post(`/api/invoices/${invoice.id}/credit-notes`).send({ reason: 'Returned' }).expect(201);
    const path = `/api/credit-notes/${(body as { id: number }).id}`;
    await as.get(`${path}/pdf`).expect(200);
    const request = as.post(`${path}/send-email`).set('Prefer', 'respond-async');
    expect((await effects.runToEnd(jobIdOf(await request.expect(202)))).status).toBe('done');
  },
  'a payment by a link is refunded and disputed': async () => {
    const subject = await effects.invoice();
    await subject.as.put('/api/company').send({ gatewayProvider: 'stripe' }).expect(200);
    await requestLink(subject);
    const [link = ''] = await effects.payable(subject.invoice.id);
    await effects.gatewayFault({ callbacks: false });
    for (const action of ['pay', 'refund', 'dispute'] as const) await effects.payer(link, action);
    const path = `/api/invoices/${subject.invoice.id}/create-gateway-invoice`;
    await subject.as.post(path).set('Prefer', 'respond-async').send({ regenerate: true }).expect(202);
    await effects.runEverything(subject.companyId);
  },
  'a payment link is made and replaced': async () => {
    const subject = await effects.invoice();
    await requestLink(subject);
    const path = `/api/invoices/${subject.invoice.id}/create-gateway-invoice`;
    await subject.as.post(path).set('Prefer', 'respond-async').send({ regenerate: true }).expect(202);
    await effects.runEverything(subject.companyId);
  },
};

/** Every way in which an invoice enters a status. */
const ways: [way: string, status: string, go: (subject: Subject) => Promise<void>][] = [
  ...(['sent', 'paid', 'overdue', 'cancelled'] as const).map((status): (typeof ways)[number] => [
    'a PUT',
    status,
    async ({ as, invoice }) => void (await as.put(`/api/invoices/${invoice.id}`).send({ status }).expect(200)),
  ]),
  ['an e-mail', 'sent', async (subject) => void (await effects.runToEnd(await requestEmail(subject)))],
  [
    'an e-mail that is settled by hand',
    'sent',
    async (subject) => {
      const jobId = await requestEmail(subject);
      await effects.mailFault({ mode: 'break', stage: 'reply' });
      expect((await effects.runToEnd(jobId)).status).toBe('uncertain');
      const { id } = await Email.findOne({ where: { invoiceId: subject.invoice.id }, rejectOnEmpty: true });
      const scope = { companyId: subject.companyId, actor: 'cli' };
      await effects.services.perform(scope, (uow) => settleEmail(uow, id, 'sent'));
    },
  ],
  ['a payment link', 'sent', requestLink],
  [
    'a payment link that is there already',
    'sent',
    async (subject) => {
      await requestLink(subject);
      await Invoice.update({ status: 'draft' }, { where: { id: subject.invoice.id } });
      const path = `/api/invoices/${subject.invoice.id}/create-gateway-invoice`;
      await subject.as.post(path).expect(200);
    },
  ],
  [
    'a payment',
    'paid',
    async (subject) => {
      await requestLink(subject);
      const [link = ''] = await effects.payable(subject.invoice.id);
      await effects.gatewayFault({ callbacks: false });
      await effects.pay(link);
      const path = `/api/invoices/${subject.invoice.id}/create-gateway-invoice`;
      await subject.as.post(path).set('Prefer', 'respond-async').send({ regenerate: true }).expect(202);
      await effects.runEverything(subject.companyId);
    },
  ],
  [
    'the calendar',
    'overdue',
    async ({ as, invoice }) => {
      await as.put(`/api/invoices/${invoice.id}`).send({ status: 'sent' }).expect(200);
      effects.clock.moveOn(2 * 86_400_000);
      await runAllSchedules(effects.services);
    },
  ],
];

describe('an invoice that enters a status', () => {
  test.each(ways)('by %s › %s › has its event, with what the invoice is then', async (_way, status, go) => {
    const subject = await effects.invoice();
    const { id } = subject.invoice;
    const before = (await effects.eventsOf(id, `invoice.${status}`)).length;
    await go(subject);
    const events = await effects.eventsOf(id, `invoice.${status}`);
    expect(events.length).toBeGreaterThan(before);
    const { invoiceNumber } = subject.invoice;
    expect(events.at(-1)).toMatchObject({ invoiceNumber, status, total: '220.00', currency: 'IDR' });
    expect((await subject.as.get(`/api/invoices/${id}`).expect(200)).body).toMatchObject({ status });
  });
});

test.each(Object.entries(happenings))('%s › is recorded', async (_what, happen) => {
  await happen();
});

describe('the registry of event types', () => {
  test('has every type that is recorded here, and no other; the recorded data is as its schema says', async () => {
    expect(await wrongEvents(effects.services.sql)).toEqual([]);
    expect((await recordedTypes(effects.services.sql)).sort()).toEqual(eventTypes.map(({ type }) => type).sort());
  });

  test('says of each type what it means; its names and titles are unique', () => {
    expect(eventTypes.filter(({ meaning }) => !/^An? |^The |^It /.test(meaning) || !meaning.endsWith('.'))).toEqual([]);
    expect(new Set(eventTypes.map(({ type }) => type)).size).toBe(eventTypes.length);
    const titles = eventTypes.map(({ data }) => (data as { title?: string }).title);
    expect(titles).toEqual([...new Set(titles)]);
    expect(titles).toContain('InvoicePaymentLinkCreatedData');
  });

  test('names are what the pattern of subscriptions and the column accept', () => {
    for (const { type, subject } of eventTypes) {
      expect(type).toMatch(/^[a-z_]+(\.[a-z_]+){1,2}$/);
      expect([type.length <= 64, subject.length <= 32]).toEqual([true, true]);
    }
  });
});
