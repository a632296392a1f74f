import sharp from 'sharp';
import { Client } from '../../../shared/models';
import { Email, Event } from '../../support/models';
import { Effects, jobIdOf, type Subject } from '../../support/workers';

let effects: Effects;
beforeAll(async () => {
  effects = await Effects.start();
  await effects.startPool(['pdf']);
});
beforeEach(() => effects.mailFault({ reset: true }));

const path = ({ invoice }: Subject) => `/api/invoices/${invoice.id}/send-email`;

/** Addresses that no other test uses. */
let addresses = 0;
const address = (name: string) => `${name}${(addresses += 1)}@books.example`;

async function requested(body: object, given?: Subject) {
  const subject = given ?? (await effects.invoice());
  await effects.printForEmail(subject);
  const jobId = jobIdOf(await subject.as.post(path(subject)).set('Prefer', 'respond-async').send(body).expect(202));
  return { ...subject, jobId };
}

const listOf = async ({ as, invoice }: Subject) =>
  (
    (await as.get(`/api/invoices/${invoice.id}/emails`).expect(200)).body as {
      data: { to: string; status: string; error: { code: string; message: string } | null }[];
    }
  ).data;

describe('send-email with addresses', () => {
  test('sends one message to them instead of the client, with copies, each address once', async () => {
    const [one, two, copy] = [address('one'), address('two'), address('copy')];
    const { jobId, clientEmail, ...subject } = await requested({
      to: [one, two, one.toUpperCase()],
      cc: [copy, two, copy],
      message: '',
    });
    expect((await effects.runToEnd(jobId)).status).toBe('done');
    const [message] = await effects.messagesTo(one);
    expect(message?.summary.envelope.to).toEqual([one, two, copy]);
    expect(message?.summary.to.map((mailbox) => mailbox.address)).toEqual([one, two]);
    expect(message?.summary.headers.cc).toContain(copy);
    expect(message?.summary.headers.cc).not.toContain(two);
    expect(await effects.messagesTo(clientEmail)).toEqual([]);
    expect(await listOf({ ...subject, clientEmail })).toMatchObject([{ to: `${one}, ${two}`, status: 'sent' }]);
    const events = await Event.findAll({ where: { companyId: subject.companyId, type: 'email.sent' } });
    expect(events.map(({ data }) => (JSON.parse(data) as { to: string }).to)).toEqual([`${one}, ${two}`]);
  });

  test('comes from a company with an address of any length that is allowed', async () => {
    const subject = await effects.invoice();
    const email = `x@${['a', 'b', 'c'].map((label) => label.repeat(63)).join('.')}.example`;
    await subject.as.put('/api/company').send({ email }).expect(200);
    const to = address('books');
    const { jobId } = await requested({ to: [to] }, subject);
    expect((await effects.runToEnd(jobId)).status).toBe('done');
    const [message] = await effects.messagesTo(to);
    expect(message?.summary.messageId).toMatch(/@invoicing\.invalid$/);
  });

  test('needs no address of the client', async () => {
    const subject = await effects.invoice();
    await Client.update({ email: null }, { where: { companyId: subject.companyId, id: subject.clientId } });
    const to = address('books');
    await subject.as
      .post(path(subject))
      .send({ cc: [to] })
      .expect(400);
    const { jobId } = await requested({ to: [to] }, subject);
    expect((await effects.runToEnd(jobId)).status).toBe('done');
    expect(await effects.messagesTo(to)).toHaveLength(1);
  });

  test('retries to the same addresses, whatever the client has by then; without them, to the client as it is then', async () => {
    const to = address('books');
    const subject = await effects.invoice();
    for (const body of [{ to: [to] }, {}]) {
      const { jobId } = await requested(body, subject);
      await effects.mailFault({ mode: 'refuse', stage: 'reply', code: 451 });
      expect(await effects.run(jobId)).toEqual({ nextRunAt: expect.any(Date) as Date });
      const email = address('moved');
      await Client.update({ email }, { where: { companyId: subject.companyId, id: subject.clientId } });
      expect((await effects.runToEnd(jobId)).status).toBe('done');
      expect(await effects.messagesTo('to' in body ? to : email)).toHaveLength(1);
    }
    expect(await effects.messagesTo(subject.clientEmail)).toEqual([]);
  });

  test('with copies to the client itself › sends it one message', async () => {
    const subject = await effects.invoice();
    const { jobId } = await requested({ cc: [subject.clientEmail.toUpperCase()] }, subject);
    await effects.runToEnd(jobId);
    const [message] = await effects.messagesTo(subject.clientEmail);
    expect(message?.summary.envelope.to).toEqual([subject.clientEmail]);
  });

  test('of which the server refuses some › is sent to the others once, and says so', async () => {
    const [one, two] = [address('one'), address('two')];
    const { jobId, ...subject } = await requested({ to: [one, two] });
    await effects.mailFault({ mode: 'refuse', stage: 'rcpt', code: 550 });
    expect((await effects.runToEnd(jobId)).status).toBe('done');
    expect(await effects.messagesTo(two)).toHaveLength(1);
    expect(await effects.messagesTo(one)).toEqual([]);
    expect(await listOf(subject)).toMatchObject([
      { status: 'sent', error: { code: 'email_refused', message: `the mail server does not take it for ${one}` } },
    ]);
  });

  test('two requests with other addresses are two messages; one key is one request', async () => {
    const subject = await effects.invoice();
    const [one, two] = [address('one'), address('two')];
    const jobs = await Promise.all([requested({ to: [one] }, subject), requested({ to: [two] }, subject)]);
    expect(jobs[0].jobId).not.toBe(jobs[1].jobId);
    for (const { jobId } of jobs) await effects.runToEnd(jobId);
    for (const to of [one, two]) expect(await effects.messagesTo(to)).toHaveLength(1);

    const under = (body: object) =>
      subject.as.post(path(subject)).set('Idempotency-Key', 'k').set('Prefer', 'respond-async').send(body);
    const first = jobIdOf(await under({ to: [one] }).expect(202));
    await under({ to: [two] }).expect(422);
    expect(jobIdOf(await under({ to: [one] }).expect(202))).toBe(first);
    expect(await Email.count({ where: { invoiceId: subject.invoice.id } })).toBe(3);
  });

  test.each([
    [{ to: [] }, 'to'],
    [{ to: 'a@b.example' }, 'to'],
    [{ to: Array(6).fill('a@b.example') }, 'to'],
    [{ cc: Array(6).fill('a@b.example') }, 'cc'],
    [{ to: ['nobody'] }, 'to/0'],
    [{ to: ['a@b.example, c@d.example'] }, 'to/0'],
    [{ to: ['a@b.example\r\nBcc: all@example.com'] }, 'to/0'],
    [{ cc: ['"Jane" <a@b.example>'] }, 'cc/0'],
    [{ cc: [`${'a'.repeat(250)}@b.example`] }, 'cc/0'],
    [{ message: 'x'.repeat(2001) }, 'message'],
    [{ message: 'bell \u0007' }, 'message'],
    [{ message: null }, 'message'],
    [{ bcc: ['a@b.example'] }, 'bcc'],
  ])('refuses %j with 400', async (body, field) => {
    const subject = await effects.invoice();
    const response = await subject.as.post(path(subject)).send(body).expect(400);
    expect((response.body as { errors: { path: string }[] }).errors[0]?.path).toBe(field);
    expect(await Email.count({ where: { invoiceId: subject.invoice.id } })).toBe(0);
  });
});

describe('the received message', () => {
  test('has the message above the summary in both parts, escaped, and no header of it', async () => {
    const message = 'Hello "Jane" <b>\r\nBcc: all@example.com\r\n\r\n😀'.padEnd(1000, '.') + '😀'.repeat(500);
    const { jobId, clientEmail } = await requested({ message });
    await effects.runToEnd(jobId);
    const [received] = await effects.messagesTo(clientEmail);
    expect(received?.summary.envelope.to).toEqual([clientEmail]);
    expect(received?.summary.headers).not.toHaveProperty('bcc');
    expect(received?.text?.replaceAll('\r\n', '\n')).toContain('Hello "Jane" <b>\nBcc: all@example.com\n\n😀...');
    expect(received?.html).toContain('Hello &quot;Jane&quot; &lt;b&gt;<br>Bcc: all@example.com<br><br>😀...');
    expect(received?.html).not.toContain('<b>');
  });

  test('shows the logo as a part of it, and the PDF as its only other attachment', async () => {
    const subject = await effects.invoice();
    const logo = await sharp({ create: { width: 440, height: 100, channels: 3, background: '#0f766e' } })
      .png()
      .toBuffer();
    await subject.as.put('/api/company/logo').attach('logo', logo, 'logo.png').expect(200);
    await subject.as.put('/api/company').send({ brandColor: '#0f766e' }).expect(200);
    const { jobId } = await requested({}, subject);
    await effects.runToEnd(jobId);
    const [received] = await effects.messagesTo(subject.clientEmail);
    expect(received?.summary.attachments.map(({ contentType }) => contentType).sort()).toEqual([
      'application/pdf',
      'image/png',
    ]);
    expect(received?.html).toContain('#0f766e');
    expect(received?.html).toMatch(
      /<img src="(cid:[\da-f]{32}@logo\.invalid|data:image\/png[^"]*)" width="220" height="50"/,
    );
    expect(received?.summary.headers['reply-to']).toContain('billing@sender.example');
  });
});
