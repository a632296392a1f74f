import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SmtpControl } from '../../../dev/mailCatcher/SmtpFaults';
import { startMailCatcher, type MailCatcher } from '../../../dev/mailCatcher/server';
import { DeliveryUncertain, EmailRefused, EmailUnavailable } from '../../../shared/engine/errors';
import type { EmailTransport } from '../../../workers/mail';
import { eventually } from '../../support/eventually';
import { errorOf, message, smtpAt } from './localEmail';

let catcher: MailCatcher;
let transport: EmailTransport;

beforeEach(async () => {
  catcher = await startMailCatcher();
  transport = smtpAt(catcher.smtpUrl);
});

afterEach(async () => {
  await transport.close();
  await catcher.close();
});

const caught = () => catcher.store.list().length;
const control = (fault: SmtpControl) => expect(catcher.faults.control(fault)).toBeNull();

describe('a message', () => {
  it('arrives once, whole, and with our ids', async () => {
    const pdf = Buffer.from('%PDF-1.7 \u0000\u00ff', 'latin1');
    const sent = await transport.send(
      message({
        to: [{ name: 'Żółw, "Ltd" <x>', address: 'jane@client.example.com' }],
        subject: 'Invoice № 1 – ใบแจ้งหนี้',
        text: 'Hello\n.\n..\nبعد',
        html: '<p>こんにちは</p>',
        attachments: [{ filename: 'invoice-№1.pdf', contentType: 'application/pdf', content: pdf }],
      }),
    );
    expect(sent).toEqual({ providerMessageId: 'invoice-1@billing.example.com' });
    expect(caught()).toBe(1);
    const { summary, text, html, contents } = (await catcher.messages.get(1))!;
    expect(summary).toMatchObject({
      messageId: 'invoice-1@billing.example.com',
      envelope: { from: 'billing@acme.example.com', to: ['jane@client.example.com'] },
      from: { name: 'Acme Ltd', address: 'billing@acme.example.com' },
      to: [{ name: 'Żółw, "Ltd" <x>', address: 'jane@client.example.com' }],
      subject: 'Invoice № 1 – ใบแจ้งหนี้',
      attachments: [{ filename: 'invoice-№1.pdf', contentType: 'application/pdf', size: pdf.length }],
    });
    expect(summary.headers).toMatchObject({
      'auto-submitted': 'auto-generated',
      'reply-to': 'office@acme.example.com',
    });
    expect(text?.trim()).toBe('Hello\n.\n..\nبعد');
    expect(html).toContain('<p>こんにちは</p>');
    expect(contents[0]).toEqual(pdf);
  });

  it('has no Reply-To without one', async () => {
    await transport.send(message({ replyTo: null }));
    expect((await catcher.messages.summary(1))?.headers).not.toHaveProperty('reply-to');
  });

  it('goes over a connection that is kept for the next', async () => {
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      answer(socket);
    });
    const keeping = smtpAt(await listen(server));
    for (let count = 0; count < 5; count += 1) await keeping.send(message());
    expect(connections).toBe(1);
    await keeping.close();
    server.close();
  });

  it('goes over a new connection after some refusals, so that it does not wait for what the server does about many of them', async () => {
    const sessions: string[][] = [];
    const server = createServer((socket) => {
      const replies: string[] = [];
      sessions.push(replies);
      answer(socket, {
        toRecipient: (line) => {
          replies.push(line.includes('nobody@') ? '550' : '250');
          return `${replies.at(-1)} so`;
        },
      });
    });
    const keeping = smtpAt(await listen(server));
    const nobody = { name: '', address: 'nobody@client.example.com' };
    for (let count = 0; count < 4; count += 1) {
      expect(await errorOf(keeping.send(message({ to: [nobody] })))).toBeInstanceOf(EmailRefused);
    }
    expect(await keeping.send(message({ cc: [nobody.address] }))).toHaveProperty('refused');
    for (let count = 0; count < 3; count += 1) await keeping.send(message());
    const nobodies = { to: [nobody], cc: ['1', '2', '3', '4'].map((name) => `${name}.${nobody.address}`) };
    expect(await errorOf(keeping.send(message(nobodies)))).toBeInstanceOf(EmailRefused);
    await keeping.send(message());
    expect(sessions).toEqual([
      ['550', '550', '550', '550', '250', '550'],
      ['250', '250', '250', '550', '550', '550', '550', '550'],
      ['250'],
    ]);
    await keeping.close();
    server.close();
  });

  it('waits in line when all connections are in use', async () => {
    const narrow = smtpAt(catcher.smtpUrl, 15_000, 2);
    await Promise.all(Array.from({ length: 20 }, () => narrow.send(message())));
    expect(caught()).toBe(20);
    await narrow.close();
  });
});

describe('what goes into headers', () => {
  it('cannot add a header, a recipient or a line of its own', async () => {
    const attack = 'x\r\nBcc: thief@evil.example.com\r\n\r\n<script>';
    await transport.send(
      message({
        subject: attack,
        from: { name: attack, address: 'billing@acme.example.com' },
        to: [{ name: `"${attack}" <thief@evil.example.com>,`, address: 'jane@client.example.com' }],
        attachments: [{ filename: attack, contentType: 'text/plain', content: Buffer.from('x') }],
      }),
    );
    const summary = (await catcher.messages.summary(1))!;
    expect(summary.envelope.to).toEqual(['jane@client.example.com']);
    expect(summary.to.map(({ address }) => address)).toEqual(['jane@client.example.com']);
    expect(summary.headers).not.toHaveProperty('bcc');
    expect(Object.keys(summary.headers).sort()).toEqual(
      [
        'auto-submitted',
        'content-type',
        'date',
        'from',
        'message-id',
        'mime-version',
        'reply-to',
        'subject',
        'to',
      ].sort(),
    );
  });

  it.each([
    ['two addresses', 'a@x.test, b@x.test'],
    ['a name with the address', 'A <a@x.test>'],
    ['a line break', 'a@x.test\r\nRCPT TO:<b@x.test>'],
    ['a break at the end', 'a@x.test\n'],
    ['no domain', 'jane'],
    ['nothing', ''],
    ['an invisible control character', 'a\u0000@x.test'],
  ])('is refused as an address when it is %s', async (_name, address) => {
    for (const field of [{ to: [{ name: '', address }] }, { from: { name: '', address } }, { replyTo: address }]) {
      expect(await errorOf(transport.send(message(field)))).toBeInstanceOf(EmailRefused);
    }
    expect(caught()).toBe(0);
  });

  it.each(['a b', 'a>\r\nX: y', '', '<a@b>'])('is refused as a message id when it is "%s"', async (messageId) => {
    expect(await errorOf(transport.send(message({ messageId })))).toBeInstanceOf(EmailRefused);
  });
});

describe('not sent, certainly, and worth another try', () => {
  it('is a message whose server refuses the connection', async () => {
    await catcher.close();
    const error = await errorOf(transport.send(message()));
    expect(error).toBeInstanceOf(EmailUnavailable);
    expect(error).toMatchObject({ retryable: true });
    catcher = await startMailCatcher();
  });

  it('is a message whose server is not found', async () => {
    const lost = smtpAt('smtp://no-such-host.invalid:25');
    expect(await errorOf(lost.send(message()))).toBeInstanceOf(EmailUnavailable);
    await lost.close();
  });

  const before: [string, SmtpControl][] = [
    ['sends no greeting', { mode: 'hang', stage: 'connect' }],
    ['hangs up before the greeting', { mode: 'break', stage: 'connect' }],
    ['greets with 421', { mode: 'refuse', stage: 'connect', code: 421 }],
    ['hangs on MAIL', { mode: 'hang', stage: 'mail' }],
    ['hangs up on MAIL', { mode: 'break', stage: 'mail' }],
    ['refuses MAIL with 451', { mode: 'refuse', stage: 'mail', code: 451 }],
    ['hangs on RCPT', { mode: 'hang', stage: 'rcpt' }],
    ['hangs up on RCPT', { mode: 'break', stage: 'rcpt' }],
    ['refuses RCPT with 450', { mode: 'refuse', stage: 'rcpt', code: 450 }],
    ['refuses RCPT with 421', { mode: 'refuse', stage: 'rcpt', code: 421 }],
    ['refuses the message with 452', { mode: 'refuse', stage: 'reply', code: 452 }],
    ['refuses the message with 421', { mode: 'refuse', stage: 'reply', code: 421 }],
    ['says that the session is out of step', { mode: 'refuse', stage: 'rcpt', code: 503 }],
  ];

  it.each(before)('is a message whose server %s', async (_name, fault) => {
    control(fault);
    const sender = fault.mode === 'hang' ? smtpAt(catcher.smtpUrl, 1_000) : transport;
    expect(await errorOf(sender.send(message()))).toBeInstanceOf(EmailUnavailable);
    expect(caught()).toBe(0);
    await transport.send(message());
    expect(caught()).toBe(1);
    await sender.close();
  });

  it('is a message whose connection breaks before its end was written', async () => {
    control({ mode: 'break', stage: 'data' });
    const content = Buffer.alloc(8_000_000);
    const large = message({ attachments: [{ filename: 'a.bin', contentType: 'application/octet-stream', content }] });
    expect(await errorOf(transport.send(large))).toBeInstanceOf(EmailUnavailable);
    expect(caught()).toBe(0);
  });

  it('is a message for which the password cannot be checked now', async () => {
    control({ mode: 'refuse', stage: 'auth', code: 454 });
    const withPassword = smtpAt(catcher.smtpUrl.replace('//', '//user:secret@'));
    expect(await errorOf(withPassword.send(message()))).toBeInstanceOf(EmailUnavailable);
    await withPassword.close();
  });

  it('is a message that meets a kept connection which has died, and it is not sent behind our back', async () => {
    await transport.send(message());
    control({ mode: 'break', stage: 'mail' });
    expect(await errorOf(transport.send(message()))).toBeInstanceOf(EmailUnavailable);
    await sleep(400);
    expect(caught()).toBe(1);
    await transport.send(message());
    expect(caught()).toBe(2);
  });

  it('is a message that its caller gave up before the data was sent', async () => {
    control({ mode: 'hang', stage: 'rcpt' });
    const patient = smtpAt(catcher.smtpUrl, 60_000);
    const error = await errorOf(patient.send(message(), AbortSignal.timeout(100)));
    expect(error).toBeInstanceOf(EmailUnavailable);
    await patient.close();
  });

  it('is a message that waits in line while its caller gives up', async () => {
    control({ mode: 'hang', stage: 'rcpt' });
    const narrow = smtpAt(catcher.smtpUrl, 1000, 1);
    const first = errorOf(narrow.send(message()));
    expect(await errorOf(narrow.send(message(), AbortSignal.timeout(50)))).toBeInstanceOf(EmailUnavailable);
    expect(await first).toBeInstanceOf(EmailUnavailable);
    expect(caught()).toBe(0);
    await narrow.close();
  });

  it('is a message that comes after the transport was closed', async () => {
    await transport.close();
    expect(await errorOf(transport.send(message()))).toBeInstanceOf(EmailUnavailable);
  });
});

describe('not sent, and no use to try again', () => {
  it.each<[string, SmtpControl]>([
    ['does not serve us', { mode: 'refuse', stage: 'connect', code: 554 }],
    ['refuses the sender', { mode: 'refuse', stage: 'mail', code: 550 }],
    ['does not know the recipient', { mode: 'refuse', stage: 'rcpt', code: 550 }],
    ['refuses the content', { mode: 'refuse', stage: 'reply', code: 554 }],
  ])('is a message whose server %s', async (_name, fault) => {
    control({ ...fault, message: '5.0.0 because of policy' });
    const error = await errorOf(transport.send(message()));
    expect(error).toBeInstanceOf(EmailRefused);
    expect(error).toMatchObject({ retryable: false, message: expect.stringContaining('because of policy') as string });
    expect(caught()).toBe(0);
  });

  it('is a message that is larger than the server takes', async () => {
    const strict = await startMailCatcher({ maxMessageBytes: 10_000 });
    const attachments = [{ filename: 'a.pdf', contentType: 'application/pdf', content: Buffer.alloc(20_000) }];
    const sender = smtpAt(strict.smtpUrl);
    expect(await errorOf(sender.send(message({ attachments })))).toBeInstanceOf(EmailRefused);
    expect(strict.store.list()).toEqual([]);
    await sender.close();
    await strict.close();
  });
});

describe('handed over without an answer', () => {
  it.each<[string, SmtpControl]>([
    ['hangs up instead of replying', { mode: 'break', stage: 'reply' }],
    ['never replies', { mode: 'hang', stage: 'reply' }],
  ])('is a message whose server %s, and it is not sent again', async (_name, fault) => {
    control(fault);
    const sender = smtpAt(catcher.smtpUrl, 1_000);
    const error = await errorOf(sender.send(message()));
    expect(error).toBeInstanceOf(DeliveryUncertain);
    expect(error).toMatchObject({ retryable: false });
    await sleep(400);
    expect(caught()).toBe(1);
    await sender.close();
  });

  it('is a message whose server hangs up over a connection that has sent before', async () => {
    await transport.send(message());
    control({ mode: 'break', stage: 'reply' });
    expect(await errorOf(transport.send(message()))).toBeInstanceOf(DeliveryUncertain);
    await sleep(400);
    expect(caught()).toBe(2);
  });

  it('is a message that its caller gave up while the reply was awaited', async () => {
    control({ mode: 'hang', stage: 'reply' });
    const patient = smtpAt(catcher.smtpUrl, 60_000);
    const caller = new AbortController();
    const sent = errorOf(patient.send(message(), caller.signal));
    await eventually(() => caught() === 1);
    caller.abort();
    expect(await sent).toBeInstanceOf(DeliveryUncertain);
    await patient.close();
  });

  it('is a message whose server replies something that is no reply', async () => {
    const server = createServer((socket) => answer(socket, { afterData: '354 go on forever' }));
    const odd = smtpAt(await listen(server));
    expect(await errorOf(odd.send(message()))).toBeInstanceOf(DeliveryUncertain);
    await odd.close();
    server.close();
  });
});

async function listen(server: ReturnType<typeof createServer>): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The plainest SMTP server: no extensions, one reply to each command, and those of choice to recipients and after the message. */
function answer(
  socket: Socket,
  { afterData = '250 taken', toRecipient = (_line: string): string => '250 yes' } = {},
): void {
  let inData = false;
  let pending = '';
  socket.write('220 plain\r\n');
  socket.on('error', (error) => expect(error).toMatchObject({ code: 'ECONNRESET' }));
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    pending += chunk;
    for (let end = pending.indexOf('\r\n'); end >= 0; end = pending.indexOf('\r\n')) {
      const line = pending.slice(0, end);
      pending = pending.slice(end + 2);
      if (inData && line !== '.') continue;
      if (inData) socket.write(`${afterData}\r\n`);
      else if (line.startsWith('RCPT')) socket.write(`${toRecipient(line)}\r\n`);
      else socket.write(line === 'DATA' ? '354 go on\r\n' : '250 yes\r\n');
      inData = !inData && line === 'DATA';
    }
  });
}
