import { Invoice, Job } from '../../../shared/models';
import { Email } from '../../support/models';
import { cleanUp } from '../../../shared/schedules/cleanUp';
import { sendGridEvent, sendGridKeys, signed } from '../../support/sendGrid';
import { startApi, type TestApi } from '../../support/server';
import { Effects, jobIdOf, type Subject } from '../../support/workers';

const keys = sendGridKeys();
let effects: Effects;
beforeAll(async () => {
  effects = await Effects.start({ SENDGRID_WEBHOOK_PUBLIC_KEY: keys.publicKey });
  await effects.startPool(['pdf']);
});
beforeEach(() => effects.mailFault({ reset: true }));

type Events = readonly Record<string, unknown>[];

function post(text: string, headers: Record<string, string>, api: TestApi = effects.api) {
  return api.as().post('/webhooks/email/sendgrid').set(headers).send(text);
}

/** Posts events as SendGrid does. */
async function report(...events: Events): Promise<void> {
  const text = JSON.stringify(events);
  await post(text, signed(keys, text, effects.clock.now())).expect(200, { message: 'Received' });
}

interface Requested extends Subject {
  jobId: number;
  messageId: string;
}

async function requested(body: object = {}): Promise<Requested> {
  const subject = await effects.invoice();
  await effects.printForEmail(subject);
  const path = `/api/invoices/${subject.invoice.id}/send-email`;
  const jobId = jobIdOf(await subject.as.post(path).set('Prefer', 'respond-async').send(body).expect(202));
  return { ...subject, jobId, messageId: (await emailOf(subject)).messageId };
}

async function sent(): Promise<Requested> {
  const subject = await requested();
  expect((await effects.runToEnd(subject.jobId)).status).toBe('done');
  return subject;
}

async function uncertain(): Promise<Requested> {
  const subject = await requested();
  await effects.mailFault({ mode: 'break', stage: 'reply' });
  expect((await effects.runToEnd(subject.jobId)).status).toBe('uncertain');
  return subject;
}

const emailOf = ({ invoice }: Subject): Promise<Email> =>
  Email.findOne({ where: { invoiceId: invoice.id }, rejectOnEmpty: true });
const invoiceOf = ({ invoice }: Subject): Promise<Invoice> =>
  Invoice.findOne({ where: { id: invoice.id }, rejectOnEmpty: true });

async function shown({ as, invoice }: Subject): Promise<Record<string, unknown>> {
  const { body } = await as.get(`/api/invoices/${invoice.id}/emails`).expect(200);
  return (body as { data: [Record<string, unknown>] }).data[0];
}

/** The types of the e-mail's events, in their order. */
async function emailEvents({ invoice }: Subject): Promise<string[]> {
  const rows = await effects.services.sql.rows<{ type: string }>(
    "SELECT type FROM events WHERE subjectType = 'invoice' AND subjectId = ? AND type LIKE 'email.%' ORDER BY id",
    [invoice.id],
  );
  return rows.map(({ type }) => type.replace('email.', ''));
}

describe('an event of SendGrid', () => {
  test('about a copy › changes nothing for the recipient; about one of several, it does', async () => {
    const subject = await requested({ to: ['one@books.example', 'two@books.example'], cc: ['copy@books.example'] });
    await effects.runToEnd(subject.jobId);
    await report(sendGridEvent('bounce', subject.messageId, { email: 'Copy@books.example' }));
    expect(await shown(subject)).toMatchObject({ status: 'sent', error: null, bouncedAt: null });
    await report(sendGridEvent('bounce', subject.messageId, { email: 'two@books.example' }));
    expect(await shown(subject)).toMatchObject({ status: 'bounced', error: { code: 'bounced' } });
    // A bounce of one of several addresses is none of the client's.
    expect((await emailOf(subject)).recipient).toBe('');
  });

  test('delivered and opened › is shown with its times, and is an event', async () => {
    const subject = await sent();
    const at = Math.floor(Date.now() / 1000) - 60;
    await report(sendGridEvent('processed', subject.messageId), sendGridEvent('deferred', subject.messageId));
    expect(await shown(subject)).toMatchObject({ status: 'sent' });
    await report(sendGridEvent('delivered', subject.messageId, { timestamp: at }));
    await report(sendGridEvent('open', subject.messageId, { timestamp: at + 7 }));
    expect(await shown(subject)).toMatchObject({
      status: 'delivered',
      deliveredAt: new Date(at * 1000).toISOString(),
      openedAt: new Date((at + 7) * 1000).toISOString(),
      ...{ bouncedAt: null, error: null },
    });
    expect(await emailEvents(subject)).toEqual(['requested', 'sent', 'delivered']);
    const { id: emailId } = await emailOf(subject);
    expect(await effects.eventsOf(subject.invoice.id, 'email.delivered')).toEqual([
      { emailId, to: subject.clientEmail },
    ]);
  });

  test.each([
    ['bounce', 'bounced', 'bounced', 'bounced'],
    ['bounce', 'bounced', 'blocked', 'bounced'],
    ['dropped', 'failed', 'dropped', 'failed'],
  ] as const)('%s › makes the e-mail %s with the code %s, and says why', async (event, status, code, type) => {
    const subject = await sent();
    const reason = '550 5.1.1 The mailbox\r\ndoes not exist';
    await report(sendGridEvent(event, subject.messageId, { reason, ...(code === 'blocked' && { type: code }) }));
    const error = { code, message: '550 5.1.1 The mailbox does not exist' };
    expect(await shown(subject)).toMatchObject({ status, error });
    const { id: emailId, bouncedAt } = await emailOf(subject);
    expect(bouncedAt === null).toBe(event === 'dropped');
    expect(await effects.eventsOf(subject.invoice.id, `email.${type}`)).toEqual([
      { emailId, to: subject.clientEmail, error },
    ]);
    // It was sent all the same.
    expect(await invoiceOf(subject)).toMatchObject({ status: 'sent' });
  });

  test('among thousands in one request › is processed: their names are many, and the same', async () => {
    const subject = await sent();
    const others = Array.from({ length: 2_900 }, () => ({
      ...{ event: 'processed', email: 'a@b.example', timestamp: 1, sg_event_id: 'a', sg_message_id: 'b' },
      ...{ 'smtp-id': 'c', reference: 'd', ip: '192.0.2.1', response: 'ok' },
    }));
    await report(...others, sendGridEvent('bounce', subject.messageId));
    expect(await shown(subject)).toMatchObject({ status: 'bounced' });
  });

  test('spamreport › makes it complained', async () => {
    const subject = await sent();
    await report(sendGridEvent('delivered', subject.messageId), sendGridEvent('spamreport', subject.messageId));
    expect(await shown(subject)).toMatchObject({ status: 'complained', deliveredAt: expect.any(String) as string });
    expect(await emailEvents(subject)).toEqual(['requested', 'sent', 'delivered', 'complained']);
  });

  test('that comes twice, in one request, in two, or in two at the same time › is processed once', async () => {
    const subject = await sent();
    const bounce = sendGridEvent('bounce', subject.messageId, { reason: 'no' });
    await report(bounce, bounce);
    await Promise.all([report(bounce), report(bounce), report(bounce)]);
    expect(await emailEvents(subject)).toEqual(['requested', 'sent', 'bounced']);
    const { updatedAt } = await emailOf(subject);
    await report(bounce);
    expect((await emailOf(subject)).updatedAt).toEqual(updatedAt);
  });

  test('delivered that comes after the bounce › changes no status, and is no event', async () => {
    const subject = await sent();
    await report(sendGridEvent('bounce', subject.messageId, { reason: 'no' }));
    await report(sendGridEvent('delivered', subject.messageId));
    expect(await shown(subject)).toMatchObject({ status: 'bounced', deliveredAt: expect.any(String) as string });
    expect(await emailEvents(subject)).toEqual(['requested', 'sent', 'bounced']);
  });
});

describe('an event before the worker has recorded what became of the message', () => {
  test.each(['delivered', 'bounce'])('%s › stays, and the worker adds the id of the provider', async (event) => {
    const subject = await requested();
    const { email } = effects.tools;
    await effects.run(subject.jobId, {
      email: {
        close: () => email.close(),
        send: async (message, signal) => {
          const accepted = await email.send(message, signal);
          await report(sendGridEvent(event, message.messageId, { sg_message_id: 'from the event', reason: 'no' }));
          expect(await emailOf(subject)).toMatchObject({ providerMessageId: 'from the event' });
          return accepted;
        },
      },
    });
    const status = event === 'bounce' ? 'bounced' : 'delivered';
    expect(await emailOf(subject)).toMatchObject({
      ...{ status, providerMessageId: expect.not.stringContaining('event') as string },
    });
    expect(await effects.job(subject.jobId)).toMatchObject({ status: 'done' });
    expect(await emailEvents(subject)).toEqual(['requested', 'sent', status]);
    expect(await effects.eventsOf(subject.invoice.id, 'invoice.sent')).toHaveLength(1);
    expect(await effects.messagesTo(subject.clientEmail)).toHaveLength(1);
  });

  test('and the worker was killed › the next run sends nothing, and the job is done', async () => {
    const subject = await requested();
    const attemptedAt = new Date('2026-03-01T10:00:00Z');
    await Email.update({ status: 'sending', attemptedAt }, { where: { messageId: subject.messageId } });
    await Job.update({ status: 'running', attempt: 1, leaseUntil: new Date(0) }, { where: { id: subject.jobId } });
    await report(sendGridEvent('processed', subject.messageId));
    expect(await effects.run(subject.jobId)).toEqual({ done: true });
    expect(await effects.job(subject.jobId)).toMatchObject({ status: 'done' });
    expect(await emailOf(subject)).toMatchObject({ status: 'sent', sentAt: attemptedAt });
    expect(await emailEvents(subject)).toEqual(['requested', 'sent']);
    expect(await effects.messagesTo(subject.clientEmail)).toEqual([]);
  });

  test('and the invoice was deleted meanwhile › the job fails, the e-mail stays as it was reported', async () => {
    const subject = await requested();
    await Email.update({ status: 'sending' }, { where: { messageId: subject.messageId } });
    await report(sendGridEvent('delivered', subject.messageId));
    await subject.as.delete(`/api/invoices/${subject.invoice.id}`).expect(200);
    expect((await effects.runToEnd(subject.jobId)).status).toBe('failed');
    expect(await emailOf(subject)).toMatchObject({ status: 'delivered' });
    expect(await emailEvents(subject)).toEqual(['requested', 'sent', 'delivered']);
  });
});

describe('an event about an uncertain e-mail', () => {
  test.each(['processed', 'delivered', 'bounce', 'open'])('%s › settles it: draft, job and events', async (event) => {
    const subject = await uncertain();
    expect(await invoiceOf(subject)).toMatchObject({ status: 'draft' });
    await report(sendGridEvent(event, subject.messageId, { reason: 'no' }));
    expect(await invoiceOf(subject)).toMatchObject({ status: 'sent' });
    const job = await effects.job(subject.jobId);
    expect(job).toMatchObject({ status: 'done', lastError: null, errorCode: null });
    const { providerMessageId } = await emailOf(subject);
    expect(JSON.parse(job.result ?? '')).toEqual({ emailId: providerMessageId });
    const last = { processed: [], delivered: ['delivered'], bounce: ['bounced'], open: ['delivered'] }[event] ?? [];
    expect(await emailEvents(subject)).toEqual(['requested', 'uncertain', 'sent', ...last]);
    expect(await effects.eventsOf(subject.invoice.id, 'invoice.sent')).toHaveLength(1);
    const path = `/api/invoices/${subject.invoice.id}/emails/${(await emailOf(subject)).id}/settle`;
    await subject.as.post(path).send({ outcome: 'not_sent' }).expect(409);
  });

  test('of an earlier version, which does not name its job › settles it, too', async () => {
    const subject = await uncertain();
    await Email.update({ jobId: null }, { where: { messageId: subject.messageId } });
    await report(sendGridEvent('delivered', subject.messageId));
    expect(await effects.job(subject.jobId)).toMatchObject({ status: 'done' });
  });

  test('that a person has settled as not sent › shows that it was sent; its job cannot be retried', async () => {
    const subject = await uncertain();
    const { id } = await emailOf(subject);
    const path = `/api/invoices/${subject.invoice.id}/emails/${id}/settle`;
    await subject.as.post(path).send({ outcome: 'not_sent' }).expect(200);
    await report(sendGridEvent('delivered', subject.messageId));
    expect(await shown(subject)).toMatchObject({ status: 'delivered', error: null });
    expect(await effects.job(subject.jobId)).toMatchObject({ status: 'done' });
    expect(await invoiceOf(subject)).toMatchObject({ status: 'sent' });
  });

  test('of a deleted invoice › leaves the invoice as it is', async () => {
    const subject = await uncertain();
    await subject.as.delete(`/api/invoices/${subject.invoice.id}`).expect(200);
    await report(sendGridEvent('delivered', subject.messageId));
    expect(await invoiceOf(subject)).toMatchObject({ status: 'draft', softDelete: true });
    expect(await emailOf(subject)).toMatchObject({ status: 'delivered' });
  });
});

describe('a request', () => {
  test('with events of several companies, unknown and broken ones › records those about our e-mails', async () => {
    const subjects = [await sent(), await sent(), await sent()];
    await report(
      ...(['x', null, 7, [], {}] as never[]),
      sendGridEvent('click', subjects[0]?.messageId ?? ''),
      sendGridEvent('delivered', 'of-another-program@example.org'),
      ...subjects.flatMap(({ messageId }) => [
        sendGridEvent('processed', messageId),
        sendGridEvent('delivered', messageId),
      ]),
    );
    for (const subject of subjects) expect(await shown(subject)).toMatchObject({ status: 'delivered' });
  });

  test('of which one e-mail cannot be recorded › records the others, and all are repeated', async () => {
    const [broken, whole] = [await sent(), await sent()];
    const events = [broken, whole].map(({ messageId }) => sendGridEvent('delivered', messageId));
    const text = JSON.stringify(events);
    // Not prepared: MySQL prepares no trigger.
    await effects.services.sequelize.query(
      `CREATE TRIGGER broken BEFORE UPDATE ON emails FOR EACH ROW
        IF NEW.messageId = '${broken.messageId}' THEN SIGNAL SQLSTATE '45000'; END IF`,
    );
    try {
      await post(text, signed(keys, text, effects.clock.now())).expect(500);
      expect(await shown(whole)).toMatchObject({ status: 'delivered' });
      expect(await shown(broken)).toMatchObject({ status: 'sent' });
    } finally {
      await effects.services.sequelize.query('DROP TRIGGER broken');
    }
    await report(...events);
    expect(await shown(broken)).toMatchObject({ status: 'delivered' });
    expect(await emailEvents(whole)).toEqual(['requested', 'sent', 'delivered']);
  });

  test('that is forged, or not signed › 401, and nothing is read of it', async () => {
    const subject = await sent();
    const text = JSON.stringify([sendGridEvent('bounce', subject.messageId)]);
    const now = effects.clock.now();
    const good = signed(keys, text, now);
    const old = new Date(now.getTime() - 4 * 86_400_000);
    for (const headers of [
      signed(sendGridKeys(), text, now),
      signed(keys, `${text} `, now),
      signed(keys, text, old),
      { ...good, 'X-Twilio-Email-Event-Webhook-Signature': '' },
      { 'Content-Type': 'application/json' },
    ]) {
      const { body } = await post(text, headers).expect(401);
      expect(body).toMatchObject({ code: 'callback_not_authentic' });
    }
    await post('no json', { 'Content-Type': 'application/json' }).expect(401);
    expect(await shown(subject)).toMatchObject({ status: 'sent' });
  });

  test('without a configured key › 401', async () => {
    const api = await startApi();
    const text = JSON.stringify([]);
    await post(text, signed(keys, text, new Date()), api).expect(401);
  });

  test.each(['no json', '{}', '', '[', '"text"', JSON.stringify(Array.from({ length: 5_001 }, () => 1))])(
    'signed, with the body %.20s › 400',
    async (text) => {
      await post(text, signed(keys, text, effects.clock.now())).expect(400);
    },
  );

  test('of more than 1 MiB › 413 before it is read; another type › 415; another method › 405', async () => {
    const large = `[${' '.repeat(1024 * 1024)}]`;
    await post(large, signed(keys, large, effects.clock.now())).expect(413);
    const headers = { ...signed(keys, '[]', effects.clock.now()), 'Content-Type': 'text/plain' };
    await post('[]', headers).expect(415);
    await effects.api.as().get('/webhooks/email/sendgrid').expect(405);
  });

  test('with a thousand events › is processed', async () => {
    const subjects = [await sent(), await sent()];
    const events = Array.from({ length: 1_000 }, (_, n) =>
      sendGridEvent('open', subjects[n % 2]?.messageId ?? '', { useragent: 'x'.repeat(200) }),
    );
    await report(...events);
    for (const subject of subjects) expect(await shown(subject)).toMatchObject({ status: 'delivered' });
  });
});

test('the clean-up › forgets the ids of events after a week, when no request with them is accepted any more', async () => {
  const subject = await sent();
  await report(sendGridEvent('delivered', subject.messageId));
  const count = async (): Promise<number> =>
    (await effects.services.sql.rows('SELECT reportId FROM email_reports WHERE companyId = ?', [subject.companyId]))
      .length;
  effects.clock.moveOn(6 * 86_400_000);
  await cleanUp(effects.services);
  expect(await count()).toBe(1);
  effects.clock.moveOn(86_400_000);
  await cleanUp(effects.services);
  expect(await count()).toBe(0);
});
