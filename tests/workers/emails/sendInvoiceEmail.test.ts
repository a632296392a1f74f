import { queues } from '../../../config/queues';
import { Client, Company, Invoice } from '../../../shared/models';
import { Email, Event } from '../../support/models';
import { jobContracts } from '../../../shared/jobContracts';
import { showJob } from '../../../shared/engine/jobs/listJobs';
import { retryJob } from '../../../shared/engine/jobs/retryJob';
import { deleteInvoice } from '../../../shared/invoices/updateInvoice';
import { updateInvoice } from '../../../shared/invoices/updateInvoice';
import { loadInvoiceDocument, pdfFileKey } from '../../../shared/invoiceDocuments';
import type { QueuedJob } from '../../../shared/engine/jobs/JobQueues';
import type { UnitOfWork } from '../../../shared/engine/db/unitOfWork';
import { beginSending, releaseEmail } from '../../../workers/emails/emailRow';
import { createEmailTransport, MailPause } from '../../../workers/mail';
import { atEnd } from '../../support/installation';
import { Effects, jobIdOf, type Subject } from '../../support/workers';

const { attempts } = queues.email.retries;

let effects: Effects;
beforeAll(async () => {
  effects = await Effects.start({ MAIL_FROM: 'billing@service.example' });
  await effects.startPool(['pdf']);
});
beforeEach(() => effects.mailFault({ reset: true }));

const change = <T>({ companyId }: Subject, work: (uow: UnitOfWork) => Promise<T>): Promise<T> =>
  effects.services.perform({ companyId, actor: 'test' }, work);

/** Requests the e-mail; nothing of it is done until the test runs the job. */
async function requested(changes: Parameters<Effects['invoice']>[0] = {}) {
  const subject = await effects.invoice(changes);
  const { as, invoice } = subject;
  await effects.printForEmail(subject);
  const jobId = jobIdOf(
    await as.post(`/api/invoices/${invoice.id}/send-email`).set('Prefer', 'respond-async').expect(202),
  );
  return { ...subject, jobId };
}

const invoiceNow = (id: number) => Invoice.findOne({ where: { id }, rejectOnEmpty: true });
const editClient = (id: number, fields: object) =>
  Client.update({ ...fields, updatedAt: effects.clock.now() }, { where: { id } });
const editCompany = (id: number, fields: object) =>
  Company.update({ ...fields, updatedAt: effects.clock.now() }, { where: { id } });
const onlyEmail = (invoiceId: number) => Email.findOne({ where: { invoiceId }, rejectOnEmpty: true });

describe('the e-mail of an invoice', () => {
  test('carries text, HTML and the PDF, in the company’s name, with replies to the company', async () => {
    const { jobId, invoice, clientEmail, as } = await requested({ invoiceNumber: 'MAIL-1' });
    expect((await effects.runToEnd(jobId)).status).toBe('done');

    const messages = await effects.messagesTo(clientEmail);
    expect(messages).toHaveLength(1);
    const [{ summary, text, html, contents } = never()] = messages;
    const email = await onlyEmail(invoice.id);
    expect(summary.messageId).toBe(email.messageId);
    expect(summary.subject).toContain('MAIL-1');
    expect(summary.from).toEqual({
      name: expect.stringMatching(/^Company \d+$/) as string,
      address: 'billing@service.example',
    });
    expect(summary.headers['reply-to']).toContain('billing@sender.example');
    expect(summary.to).toEqual([{ name: invoice.clientName, address: clientEmail }]);
    expect(summary.headers['auto-submitted']).toBe('auto-generated');
    expect(text).toContain('220.00');
    expect(html).toContain('220.00');
    expect(summary.attachments).toMatchObject([{ filename: 'invoice-MAIL-1.pdf', contentType: 'application/pdf' }]);

    const download = await as.get(`/api/invoices/${invoice.id}/pdf`).expect(200);
    expect(contents[0]?.equals(download.body as Buffer)).toBe(true);
  });

  test('makes a draft sent, freezes the parties, and keeps the provider’s id', async () => {
    const subject = await requested();
    const { jobId, invoice, companyId } = subject;
    expect((await invoiceNow(invoice.id)).status).toBe('draft');
    const { result } = await effects.runToEnd(jobId);

    const email = await onlyEmail(invoice.id);
    expect(email).toMatchObject({ status: 'sent', providerMessageId: expect.stringMatching(/.+/) as string });
    expect(JSON.parse(result ?? '')).toEqual({ emailId: email.providerMessageId });
    const sent = await invoiceNow(invoice.id);
    expect(sent.status).toBe('sent');
    expect(sent.sentAt).not.toBeNull();
    expect(sent.updatedAt.getTime()).toBeGreaterThan(
      invoice.updatedAt === '' ? 0 : Date.parse(`${invoice.updatedAt}Z`),
    );
    expect(JSON.parse(sent.frozenParties ?? '')).toMatchObject({ client: { name: invoice.clientName } });
    const types = (await Event.findAll({ where: { companyId, subjectType: 'invoice' }, order: ['id'] })).map(
      ({ type }) => type,
    );
    expect(types).toEqual(['invoice.created', 'email.requested', 'email.sent', 'invoice.sent']);
  });

  test('of an overdue or paid invoice leaves its status', async () => {
    for (const status of ['overdue', 'paid', 'sent'] as const) {
      const { jobId, invoice } = await requested({ status });
      expect((await effects.runToEnd(jobId)).status).toBe('done');
      expect((await invoiceNow(invoice.id)).status).toBe(status);
    }
  });

  test('is sent once when the queue delivers its entry twice, one after the other and at the same time', async () => {
    const { jobId, clientEmail } = await requested();
    const outcomes = await Promise.all([effects.run(jobId), effects.run(jobId), effects.run(jobId)]);
    expect(outcomes.filter((outcome) => 'done' in outcome)).toHaveLength(1);
    expect(await effects.run(jobId)).toEqual({ done: true });
    expect(await effects.messagesTo(clientEmail)).toHaveLength(1);
  });

  test('that is retried says when and why: the company reads no host, operators do', async () => {
    const { jobId, invoice, as } = await requested();
    const email = createEmailTransport({ ...effects.services.config.email, smtpUrl: 'smtp://127.0.0.1:1' });
    atEnd(() => email.close());
    await effects.run(jobId, { email });

    const { body: job } = await as.get(`/api/jobs/${jobId}`).expect(200);
    const known = { code: 'email_unavailable', message: 'the mail server cannot be reached or did not respond' };
    expect(job).toEqual({
      ...{ id: jobId, name: 'sendInvoiceEmail', status: 'pending', result: null, paused: false },
      ...{ attempt: 1, attemptsUsed: 1, attemptsAllowed: attempts, error: { ...known, status: 504 } },
      nextAttemptAt: (await effects.job(jobId)).availableAt.toISOString(),
      ...{ createdAt: expect.any(String) as string, startedAt: expect.any(String) as string, endedAt: null },
    });
    const { body: list } = await as.get(`/api/invoices/${invoice.id}/emails`).expect(200);
    expect(list).toMatchObject({ data: [{ status: 'queued', error: known }] });
    expect((await showJob(effects.services.sql, jobId)).error).toMatchObject({
      ...known,
      detail: expect.stringMatching(/^127\.0\.0\.1:1: .*ECONNREFUSED/) as string,
    });

    expect((await effects.runToEnd(jobId)).status).toBe('done');
    expect((await as.get(`/api/invoices/${invoice.id}/emails`).expect(200)).body).toMatchObject({
      data: [{ status: 'sent', error: null }],
    });
    expect((await as.get(`/api/jobs/${jobId}`).expect(200)).body).toMatchObject({
      ...{ status: 'done', nextAttemptAt: null, paused: false },
    });
  });

  test('that the server refuses for now is sent by the next attempt, under the same Message-ID', async () => {
    const { jobId, invoice, clientEmail } = await requested();
    await effects.mailFault({ mode: 'refuse', stage: 'reply', code: 451 });
    const first = await effects.run(jobId);
    expect(first).toEqual({ nextRunAt: expect.any(Date) as Date });
    expect(await effects.job(jobId)).toMatchObject({ status: 'pending', attempt: 1, leaseUntil: null });
    expect(JSON.parse((await effects.job(jobId)).lastError ?? '')).toMatchObject({ code: 'email_unavailable' });
    const { messageId, status } = await onlyEmail(invoice.id);
    expect(status).toBe('queued');
    expect((await invoiceNow(invoice.id)).status).toBe('draft');

    expect(await effects.run(jobId)).toEqual(first);
    expect((await effects.runToEnd(jobId)).status).toBe('done');
    const messages = await effects.messagesTo(clientEmail);
    expect(messages.map(({ summary }) => summary.messageId)).toEqual([messageId]);
  });

  test('that the server never takes fails after its attempts, leaves the draft, and can be retried', async () => {
    const subject = await requested();
    const { jobId, invoice, clientEmail } = subject;
    await effects.mailFault({ mode: 'refuse', stage: 'mail', code: 421, times: attempts });
    const job = await effects.runToEnd(jobId);
    expect(job.status).toBe('failed');
    // Deferrals while the PDF is printed are not counted.
    expect([job.attempt - job.uncounted, job.maxAttempt]).toEqual([attempts, attempts]);
    expect((job.endedAt?.getTime() ?? 0) - job.createdAt.getTime()).toBeGreaterThan(30 * 3_600_000);
    expect(JSON.parse(job.lastError ?? '')).toMatchObject({ code: 'email_unavailable', status: 504 });
    expect(await onlyEmail(invoice.id)).toMatchObject({ status: 'failed' });
    expect((await invoiceNow(invoice.id)).status).toBe('draft');
    expect(await effects.run(jobId)).toEqual({ done: true });
    expect(await effects.messagesTo(clientEmail)).toEqual([]);

    await change(subject, (uow) => retryJob(uow, jobContracts, jobId));
    expect(await effects.runToEnd(jobId)).toMatchObject({ status: 'done', attempt: job.attempt + 1 });
    expect(await effects.messagesTo(clientEmail)).toHaveLength(1);
    await expect(change(subject, (uow) => retryJob(uow, jobContracts, jobId))).rejects.toMatchObject({
      code: 'job_not_failed',
    });
  });

  test('that meets refused credentials is deferred: it uses no attempt, says why, and is sent when they are right', async () => {
    const { jobId, invoice, clientEmail } = await requested();
    const smtpUrl = effects.catcher.smtpUrl.replace('//', '//user:password@');
    const email = createEmailTransport({ ...effects.services.config.email, smtpUrl });
    atEnd(() => email.close());
    const mailPause = new MailPause(effects.services.log, { firstDelayMs: 1, factor: 1, maxDelayMs: 1 });
    await effects.mailFault({ mode: 'refuse', stage: 'auth', code: 535, times: attempts + 1 });
    for (let runs = 0; runs <= attempts;) {
      const before = effects.catcher.faults.waiting[0]?.times ?? 0;
      const outcome = await effects.run(jobId, { email, mailPause });
      expect(outcome).toHaveProperty('nextRunAt');
      if ('nextRunAt' in outcome) effects.clock.moveTo(outcome.nextRunAt);
      // Runs during the pause, and while the PDF is printed, do not reach the server.
      runs += before - (effects.catcher.faults.waiting[0]?.times ?? 0);
    }
    const job = await effects.job(jobId);
    expect(job).toMatchObject({ status: 'pending', uncounted: job.attempt, maxAttempt: attempts });
    expect(JSON.parse(job.lastError ?? '')).toMatchObject({
      code: 'email_unavailable',
      message: expect.stringContaining('does not accept the user and password of SMTP_URL') as string,
    });
    expect(await onlyEmail(invoice.id)).toMatchObject({ status: 'queued' });
    for (let ended = false; !ended; ended = (await effects.job(jobId)).status === 'done') {
      const outcome = await effects.run(jobId, { email, mailPause });
      if ('nextRunAt' in outcome) effects.clock.moveTo(outcome.nextRunAt);
    }
    expect(await effects.messagesTo(clientEmail)).toHaveLength(1);
  });

  test('that the server refuses for good fails immediately', async () => {
    const { jobId, invoice } = await requested();
    await effects.mailFault({ mode: 'refuse', stage: 'rcpt', code: 550 });
    const outcome = await effects.run(jobId);
    expect(outcome).toHaveProperty('failed');
    expect(await effects.job(jobId)).toMatchObject({ status: 'failed', attempt: 1 });
    expect(await onlyEmail(invoice.id)).toMatchObject({ status: 'failed' });
    expect((await invoiceNow(invoice.id)).status).toBe('draft');
  });

  test.each(['hang', 'break'])(
    'whose acceptance was lost (%s after the data) is uncertain and never repeated',
    async (mode) => {
      const subject = await requested();
      const { jobId, invoice, clientEmail } = subject;
      await effects.mailFault({ mode, stage: 'reply' });
      expect(await effects.run(jobId, effects.shortTimeouts())).toHaveProperty('failed');
      const job = await effects.job(jobId);
      expect(job.status).toBe('uncertain');
      expect(JSON.parse(job.lastError ?? '')).toMatchObject({ code: 'delivery_uncertain', status: 504 });
      expect(await onlyEmail(invoice.id)).toMatchObject({ status: 'uncertain' });
      expect((await invoiceNow(invoice.id)).status).toBe('draft');
      effects.clock.moveOn(3_600_000);
      await effects.services.outbox.relayDue();
      expect(await effects.run(jobId)).toEqual({ done: true });
      await expect(change(subject, (uow) => retryJob(uow, jobContracts, jobId))).rejects.toMatchObject({
        code: 'job_not_failed',
      });
      expect(await effects.messagesTo(clientEmail)).toHaveLength(1);
    },
  );

  test.each(['mail', 'rcpt', 'data'])('broken off before its end (at %s) is retried', async (stage) => {
    const { jobId, clientEmail } = await requested();
    await effects.mailFault({ mode: 'break', stage });
    expect(await effects.run(jobId)).toHaveProperty('nextRunAt');
    expect((await effects.runToEnd(jobId)).status).toBe('done');
    expect(await effects.messagesTo(clientEmail)).toHaveLength(1);
  });

  test('interrupted by a crash while sending is uncertain, also when that was its last attempt', async () => {
    for (const attempt of [1, attempts]) {
      const subject = await requested();
      const { jobId, invoice, clientEmail } = subject;
      // What a killed worker leaves behind: the attempt was recorded, its outcome was not.
      const [job, email] = [await effects.job(jobId), await onlyEmail(invoice.id)];
      await job.update({ status: 'running', attempt, leaseUntil: new Date(0) });
      await email.update({ status: 'sending' });
      expect(await effects.run(jobId)).toHaveProperty('failed');
      expect((await effects.job(jobId)).status).toBe('uncertain');
      expect((await onlyEmail(invoice.id)).status).toBe('uncertain');
      await expect(change(subject, (uow) => retryJob(uow, jobContracts, jobId))).rejects.toMatchObject({
        code: 'job_not_failed',
      });
      expect(await effects.messagesTo(clientEmail)).toEqual([]);
    }
  });

  test('interrupted by a crash before sending is sent by the next run', async () => {
    const { jobId, clientEmail } = await requested();
    await (await effects.job(jobId)).update({ status: 'running', attempt: 1, leaseUntil: new Date(0) });
    expect((await effects.runToEnd(jobId)).status).toBe('done');
    expect(await effects.messagesTo(clientEmail)).toHaveLength(1);
  });

  test('accepted while the record of it fails is uncertain, not failed', async () => {
    const { jobId, invoice, clientEmail } = await requested();
    const { email } = effects.tools;
    const outcome = await effects.run(jobId, {
      email: {
        close: () => email.close(),
        send: async (message, signal) => {
          await email.send(message, signal);
          return { providerMessageId: 'longer than its column '.repeat(20) };
        },
      },
    });
    expect(outcome).toHaveProperty('failed');
    expect((await effects.job(jobId)).status).toBe('uncertain');
    expect((await onlyEmail(invoice.id)).status).toBe('uncertain');
    expect(await effects.messagesTo(clientEmail)).toHaveLength(1);
  });

  test('whose delivery is uncertain › stays `sending` until that is recorded: a crash in between must not let another run send', async () => {
    const { jobId, invoice } = await requested();
    await effects.mailFault({ mode: 'break', stage: 'reply' });
    const { services } = effects;
    const before: string[] = [];
    const perform: typeof services.perform = async (scope, work) => {
      before.push((await onlyEmail(invoice.id)).status);
      return services.perform(scope, work);
    };
    await effects.run(jobId, { services: { ...services, perform } });
    expect(before).toEqual(['queued', 'sending']);
    expect(await onlyEmail(invoice.id)).toMatchObject({ status: 'uncertain' });
  });

  test('that a superseded attempt releases late › stays `sending` for the attempt that has begun since', async () => {
    const subject = await requested();
    const { id, invoiceId } = await onlyEmail(subject.invoice.id);
    const begin = async (): Promise<Date> => {
      const loaded = await loadInvoiceDocument(effects.services, subject.companyId, invoiceId);
      const begun = await change(subject, async (uow) => {
        const given = { email: { invoiceId, emailId: id }, loaded, attemptedAt: null, hasLink: false };
        await beginSending([{ uow, given }], false);
        return uow.now;
      });
      effects.clock.moveOn(1);
      return begun;
    };
    const release = (begun: Date) => change(subject, (uow) => releaseEmail(uow, { invoiceId, emailId: id }, begun));
    const first = await begin();
    await release(first);
    const second = await begin();
    await release(first);
    expect(await onlyEmail(invoiceId)).toMatchObject({ status: 'sending' });
    await release(second);
    expect(await onlyEmail(invoiceId)).toMatchObject({ status: 'queued' });
  });

  test('that is released while the beginning of the attempt is not applied yet › is written, so that Galera sees the conflict', async () => {
    const subject = await requested();
    const { id, invoiceId, updatedAt } = await onlyEmail(subject.invoice.id);
    const begun = effects.clock.now();
    effects.clock.moveOn(1);
    await change(subject, (uow) => releaseEmail(uow, { invoiceId, emailId: id }, begun));
    const released = await onlyEmail(invoiceId);
    expect(released.status).toBe('queued');
    expect(released.updatedAt).not.toEqual(updatedAt);
  });

  test('that cannot be composed fails, and is certainly not sent', async () => {
    const { jobId, invoice } = await requested();
    const { email } = effects.tools;
    const broken = { close: () => email.close(), send: () => Promise.reject(new TypeError('a bug')) };
    expect(await effects.run(jobId, { email: broken })).toHaveProperty('failed');
    expect((await effects.job(jobId)).status).toBe('failed');
    expect((await onlyEmail(invoice.id)).status).toBe('failed');
  });
});

describe('what changed between the request and the sending', () => {
  test('a deleted or cancelled invoice is not sent', async () => {
    const deleted = await requested();
    await change(deleted, (uow) => deleteInvoice(uow, deleted.invoice.id));
    const cancelled = await requested();
    await change(cancelled, (uow) => updateInvoice(uow, cancelled.invoice.id, { status: 'cancelled' }));
    for (const [{ jobId, clientEmail, invoice }, status, code] of [
      [deleted, 404, 'not_found'],
      [cancelled, 409, 'invoice_cancelled'],
    ] as const) {
      const job = await effects.runToEnd(jobId);
      expect(job).toMatchObject({ status: 'failed', attempt: 1 });
      expect(JSON.parse(job.lastError ?? '')).toMatchObject({ status, code });
      expect(await onlyEmail(invoice.id)).toMatchObject({ status: 'failed' });
      expect(await effects.messagesTo(clientEmail)).toEqual([]);
    }
  });

  test('the new total, the new address and the new names are the ones that are sent', async () => {
    const subject = await requested();
    const { jobId, invoice, clientId } = subject;
    const items = [{ description: 'Consulting', quantity: 1, unitPrice: '50.00' }];
    await change(subject, (uow) => updateInvoice(uow, invoice.id, { items }));
    const address = `new-${subject.clientEmail}`;
    await editClient(clientId, { email: address, name: 'Renamed Client' });
    await editCompany(subject.companyId, { name: 'Renamed Company' });
    expect((await effects.runToEnd(jobId)).status).toBe('done');
    expect(await effects.messagesTo(subject.clientEmail)).toEqual([]);
    const [{ summary, text } = never()] = await effects.messagesTo(address);
    expect(text).toContain('55.00');
    expect(summary.from?.name).toBe('Renamed Company');
    expect(await onlyEmail(invoice.id)).toMatchObject({ recipient: address });
    expect(JSON.parse((await invoiceNow(invoice.id)).frozenParties ?? '')).toMatchObject({
      client: { name: 'Renamed Client' },
      sender: { name: 'Renamed Company' },
    });
  });

  test('nothing, but a worker of another version draws the PDF › is retried ever later, and fails in the end', async () => {
    const { as, companyId, invoice, clientEmail } = await effects.invoice();
    const jobId = jobIdOf(
      await as.post(`/api/invoices/${invoice.id}/send-email`).set('Prefer', 'respond-async').expect(202),
    );
    const { services } = effects;
    await services.files.put(pdfFileKey(companyId, 'of-other-templates'), Buffer.from('%PDF-'));
    const queues = Object.assign(Object.create(services.queues) as typeof services.queues, {
      add: ({ jobId: render }: QueuedJob) =>
        Promise.resolve(services.jobEndHints['ended'](render, { returnvalue: 'of-other-templates' })),
    });
    const waits: number[] = [];
    for (;;) {
      const outcome = await effects.run(jobId, { services: { ...services, queues } });
      if (!('nextRunAt' in outcome)) break;
      waits.push(outcome.nextRunAt.getTime() - effects.clock.now().getTime());
      effects.clock.moveTo(outcome.nextRunAt);
    }
    expect(waits).toHaveLength(attempts - 1);
    expect(waits.at(-1)).toBeGreaterThan(3_000_000);
    const job = await effects.job(jobId);
    expect(JSON.parse(job.lastError ?? '')).toMatchObject({ code: 'pdf_of_other_version', status: 503 });
    expect(await onlyEmail(invoice.id)).toMatchObject({ status: 'failed', errorCode: 'pdf_of_other_version' });
    expect(await effects.messagesTo(clientEmail)).toEqual([]);

    await effects.services.perform({ companyId, actor: 'test' }, (uow) => retryJob(uow, jobContracts, jobId));
    expect((await effects.runToEnd(jobId)).status).toBe('done');
    expect(await effects.messagesTo(clientEmail)).toHaveLength(1);
  });

  test('a client that has lost its address, or a company its own, ends it', async () => {
    const withoutAddress = await requested();
    await editClient(withoutAddress.clientId, { email: null });
    expect(JSON.parse((await effects.runToEnd(withoutAddress.jobId)).lastError ?? '')).toMatchObject({
      status: 400,
      code: 'client_without_email',
    });
    const withoutSender = await requested();
    await editCompany(withoutSender.companyId, { email: null });
    expect(JSON.parse((await effects.runToEnd(withoutSender.jobId)).lastError ?? '')).toMatchObject({
      status: 404,
      code: 'sender_not_found',
    });
  });

  test('what is edited after the sending does not rewrite the PDF', async () => {
    const subject = await requested();
    const { jobId, invoice, clientId, as, clientEmail } = subject;
    await effects.runToEnd(jobId);
    await editClient(clientId, { name: 'Renamed Later' });
    const download = await as.get(`/api/invoices/${invoice.id}/pdf`).expect(200);
    const [{ contents } = never()] = await effects.messagesTo(clientEmail);
    expect(contents[0]?.equals(download.body as Buffer)).toBe(true);
  });

  test('an invoice that is deleted or cancelled while the message is on its way was sent, and stays as it is', async () => {
    for (const changes of [{ status: 'cancelled' } as const, null]) {
      const subject = await requested();
      const { jobId, invoice } = subject;
      const { email } = effects.tools;
      await effects.run(jobId, {
        email: {
          close: () => email.close(),
          send: async (message, signal) => {
            await change<unknown>(subject, (uow) =>
              changes === null ? deleteInvoice(uow, invoice.id) : updateInvoice(uow, invoice.id, changes),
            );
            return email.send(message, signal);
          },
        },
      });
      expect((await effects.job(jobId)).status).toBe('done');
      expect((await onlyEmail(invoice.id)).status).toBe('sent');
      expect(await invoiceNow(invoice.id)).toMatchObject(changes ?? { status: 'draft', softDelete: true });
    }
  });
});

function never(): never {
  throw new Error('no message');
}
