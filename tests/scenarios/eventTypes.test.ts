import { eventTypes } from '../../shared/eventTypes';
import { settleEmail } from '../../shared/emails';
import { jobContracts } from '../../shared/jobContracts';
import { retryJob } from '../../shared/engine/jobs/retryJob';
import { Invoice } from '../../shared/models';
import { Email } from '../support/models';
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

/** What a request asks for that only records its job. */
const headers = { Prefer: 'respond-async' };

async function requestEmail(subject: Subject): Promise<number> {
  await effects.printForEmail(subject);
  return jobIdOf({ body: await subject.client.sendInvoiceEmail({ path: subject.invoice, headers }) });
}

async function requestLink({ client, invoice: path }: Subject): Promise<void> {
  await effects.runToEnd(jobIdOf({ body: await client.createPaymentLink({ path, headers }) }));
}

async function replaceLink({ companyId, client, invoice: path }: Subject): Promise<void> {
  await client.createPaymentLink({ path, headers, body: { regenerate: true } });
  await effects.runEverything(companyId);
}

/** What records the events that are recorded nowhere else in this file. */
const happenings: Record<string, () => Promise<void>> = {
  'an expense is approved, rejected and deleted': async () => {
    const { companyId, client } = await effects.invoice();
    const category = await createCategory(effects.services, companyId);
    const expense = await client.createExpense({ body: expenseInput(category.id) });
    for (const status of ['approved', 'rejected'] as const)
      await client.updateExpense({ path: expense, body: { status } });
    await client.deleteExpense({ path: expense });
    await client.updateCategory({ path: category, body: { name: 'Renamed' } });
    await client.deleteCategory({ path: category });
  },
  'an invoice is cancelled and deleted, its client too': async () => {
    const { client, invoice, clientId } = await effects.invoice();
    await client.updateInvoice({ path: invoice, body: { status: 'cancelled' } });
    await client.deleteInvoice({ path: invoice });
    await client.updateClient({ path: { id: clientId }, body: { name: 'Renamed' } });
    await client.deleteClient({ path: { id: clientId } });
  },
  'a company, its receipts and its keys are changed': async () => {
    const { client } = await effects.invoice();
    await client.updateCompany({ body: { phone: '1' } });
    await client.createReceipt({ body: { file: new Blob([new Uint8Array(png())]) } });
    const expiresAt = new Date(effects.clock.now().getTime() + 86_400_000).toISOString();
    await client.revokeApiKey({ path: await client.createApiKey({ body: { name: 'a', expiresAt } }) });
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
    const { client } = await effects.invoice();
    const path = await client.createWebhookEndpoint({ body: { url: 'https://receiver.example' } });
    await client.updateWebhookEndpoint({ path, body: { types: ['invoice.*'], url: 'https://other.example' } });
    await client.createWebhookSecret({ path });
    await client.deleteWebhookEndpoint({ path });
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
    const { client, companyId, invoice, clientId } = await effects.invoice({ status: 'sent' });
    await client.updateCompany({ body: { reminderDays: [0, 1] } });
    const [due] = await effects.services.sql.rows<{ dueDate: string; later: string }>(
      'SELECT dueDate, dueDate + INTERVAL 1 DAY AS later FROM invoices WHERE companyId = ? AND id = ?',
      [companyId, invoice.id],
    );
    await runAllSchedules(effects.services, { asOf: due?.dueDate ?? '' });
    await effects.runEverything(companyId);
    await client.updateClient({ path: { id: clientId }, body: { reminders: false } });
    await runAllSchedules(effects.services, { asOf: due?.later ?? '' });
  },
  'an invoice with autoSend recurs, and its client has no e-mail address': async () => {
    const { client, invoice, clientId } = await effects.invoice();
    const body = { recurring: 'monthly', autoSend: true } as const;
    const { nextDueDate } = await client.updateInvoiceRecurrence({ path: invoice, body });
    await client.updateClient({ path: { id: clientId }, body: { email: null } });
    await runAllSchedules(effects.services, { asOf: nextDueDate ?? '' });
  },
  'a payment that was made elsewhere is recorded and voided': async () => {
    const { client, invoice } = await effects.invoice();
    const { id } = await client.recordInvoicePayment({ path: invoice, body: { amount: 1_000, reference: 'TX-1' } });
    await client.voidInvoicePayment({ path: { id: invoice.id, paymentId: id } });
  },
  'a credit note is issued and e-mailed': async () => {
    const { client, invoice } = await effects.invoice({ status: 'sent' });
    const path = await client.createCreditNote({ path: invoice, body: { reason: 'Returned' } });
    await client.downloadCreditNotePdf({ path });
    const accepted = await client.sendCreditNoteEmail({ path, headers });
    expect((await effects.runToEnd(jobIdOf({ body: accepted }))).status).toBe('done');
  },
  'a payment by a link is refunded and disputed': async () => {
    const subject = await effects.invoice();
    await subject.client.updateCompany({ body: { gatewayProvider: 'stripe' } });
    await requestLink(subject);
    const [link = ''] = await effects.payable(subject.invoice.id);
    await effects.gatewayFault({ callbacks: false });
    for (const action of ['pay', 'refund', 'dispute'] as const) await effects.payer(link, action);
    await replaceLink(subject);
  },
  'a payment link is made and replaced': async () => {
    const subject = await effects.invoice();
    await requestLink(subject);
    await replaceLink(subject);
  },
};

/** Every way in which an invoice enters a status. */
const ways: [way: string, status: string, go: (subject: Subject) => Promise<unknown>][] = [
  ...(['sent', 'paid', 'overdue', 'cancelled'] as const).map((status): (typeof ways)[number] => [
    'a PUT',
    status,
    ({ client, invoice: path }) => client.updateInvoice({ path, body: { status } }),
  ]),
  ['an e-mail', 'sent', async (subject) => effects.runToEnd(await requestEmail(subject))],
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
      await subject.client.createPaymentLink({ path: subject.invoice });
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
      await replaceLink(subject);
    },
  ],
  [
    'the calendar',
    'overdue',
    async ({ client, invoice: path }) => {
      await client.updateInvoice({ path, body: { status: 'sent' } });
      effects.clock.moveOn(2 * 86_400_000);
      await runAllSchedules(effects.services);
    },
  ],
];

describe('an invoice that enters a status', () => {
  test.each(ways)('by %s › %s › has its event, with what the invoice is then', async (_way, status, go) => {
    const subject = await effects.invoice();
    const { id, invoiceNumber } = subject.invoice;
    const before = (await effects.eventsOf(id, `invoice.${status}`)).length;
    await go(subject);
    const events = await effects.eventsOf(id, `invoice.${status}`);
    expect(events.length).toBeGreaterThan(before);
    expect(events.at(-1)).toMatchObject({ invoiceNumber, status, total: '220.00', currency: 'IDR' });
    expect(await subject.client.getInvoice({ path: { id } })).toMatchObject({ status });
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
