import { randomBytes } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { json } from 'node:stream/consumers';
import { inspect } from 'node:util';
import { loadConfig } from '../../../config/env';
import { DeliveryUncertain, EmailAccountRefused, EmailRefused, EmailUnavailable } from '../../../shared/engine/errors';
import { createEmailTransport, type EmailTransport } from '../../../workers/mail';
import { eventually } from '../../support/eventually';
import { startServer } from '../gateways/localGateway';
import { errorOf, message } from './localEmail';

const apiKey = 'SG.very.secret';
const closing: (() => Promise<void>)[] = [];
let requests = 0;

beforeEach(() => {
  requests = 0;
});

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

function sendGridAt(baseUrl: string, timeoutMs = 20_000): EmailTransport {
  const environment = { EMAIL_TRANSPORT: 'sendgrid', SENDGRID_API_KEY: apiKey, SENDGRID_BASE_URL: baseUrl };
  return createEmailTransport(loadConfig({ ...environment, EMAIL_TIMEOUT_MS: String(timeoutMs) }).email);
}

/** The transport, pointed at a server that answers every request in one way. */
async function answering(answer: RequestListener, timeoutMs?: number): Promise<EmailTransport> {
  const server = await startServer((request, response) => {
    requests += 1;
    answer(request, response);
  });
  closing.push(() => server.close());
  return sendGridAt(server.url, timeoutMs);
}

const status = (code: number, headers = {}, body: object = {}): RequestListener => {
  return (request, response) => {
    request.resume().on('end', () => response.writeHead(code, headers).end(JSON.stringify(body)));
  };
};

describe('a message', () => {
  it('is handed over with our ids, both parts and the attachment', async () => {
    let received: { url: string | undefined; authorization: string | undefined; body: unknown } | undefined;
    const transport = await answering((request, response) => {
      void json(request).then((body) => {
        received = { url: request.url, authorization: request.headers.authorization, body };
        response.writeHead(202, { 'X-Message-Id': 'sg-14c5d75ce93' }).end();
      });
    });
    const attachments = [{ filename: 'invoice-№1.pdf', contentType: 'application/pdf', content: Buffer.from('%PDF') }];
    const sent = await transport.send(message({ attachments, subject: 'Invoice № 1' }));
    expect(sent).toEqual({ providerMessageId: 'sg-14c5d75ce93' });
    expect(received).toEqual({
      url: '/v3/mail/send',
      authorization: `Bearer ${apiKey}`,
      body: {
        from: { name: 'Acme Ltd', email: 'billing@acme.example.com' },
        reply_to: { email: 'office@acme.example.com' },
        personalizations: [{ to: [{ name: 'Jane Client', email: 'jane@client.example.com' }] }],
        subject: 'Invoice № 1',
        content: [
          { type: 'text/plain', value: 'Please pay.' },
          { type: 'text/html', value: '<p>Please pay.</p>' },
        ],
        attachments: [
          {
            filename: 'invoice-№1.pdf',
            type: 'application/pdf',
            content: Buffer.from('%PDF').toString('base64'),
            disposition: 'attachment',
          },
        ],
        custom_args: { reference: 'invoice-1@billing.example.com' },
        headers: { 'Message-ID': '<invoice-1@billing.example.com>', 'Auto-Submitted': 'auto-generated' },
      },
    });
  });

  it('that is large, and refused before it was read › is known to be refused', async () => {
    const transport = await answering((request, response) => {
      response.writeHead(429, { Connection: 'close' }).end(() => request.socket.destroy());
    });
    const attachments = [{ filename: '1.pdf', contentType: 'application/pdf', content: Buffer.alloc(6 * 1024 * 1024) }];
    expect(await errorOf(transport.send(message({ attachments })))).toMatchObject({
      message: 'SendGrid responded with 429',
    });
  });

  it('arrives with all its files, whole, whatever their sizes', async () => {
    let received: { body: unknown; length: number } | undefined;
    const transport = await answering((request, response) => {
      void json(request).then((body) => {
        received = { body, length: Number(request.headers['content-length']) };
        response.writeHead(202).end();
      });
    });
    const contents = [3 * 1024 * 1024 + 1, 0, 48 * 1024, 1].map((size) => randomBytes(size));
    const attachments = contents.map((content, at) => ({
      filename: `${at}.pdf`,
      contentType: 'application/pdf',
      content,
    }));
    await transport.send(message({ attachments, text: '№' }));
    expect(received?.body).toMatchObject({
      attachments: contents.map((content, at) => ({ filename: `${at}.pdf`, content: content.toString('base64') })),
    });
    expect(received?.length).toBe(Buffer.byteLength(JSON.stringify(received?.body)));
  });

  it('names an internationalised domain in ASCII: SendGrid accepts another spelling and drops the message later', async () => {
    let received: unknown;
    const transport = await answering((request, response) => {
      void json(request).then((body) => {
        received = body;
        response.writeHead(202).end();
      });
    });
    await transport.send(
      message({
        from: { name: 'A', address: 'a@bücher.example' },
        replyTo: 'b@bücher.example',
        to: [{ name: 'C', address: 'c@例え.テスト' }],
      }),
    );
    expect(received).toMatchObject({
      from: { email: 'a@xn--bcher-kva.example' },
      reply_to: { email: 'b@xn--bcher-kva.example' },
      personalizations: [{ to: [{ email: 'c@xn--r8jz45g.xn--zckzah' }] }],
    });
  });

  it('that is accepted without an id has ours', async () => {
    const transport = await answering(status(202));
    expect(await transport.send(message())).toEqual({ providerMessageId: 'invoice-1@billing.example.com' });
  });

  it('with an address that is none is refused unsent', async () => {
    const transport = await answering(status(202));
    const error = await errorOf(transport.send(message({ to: [{ name: '', address: 'jane@x.test, joe@x.test' }] })));
    expect(error).toBeInstanceOf(EmailRefused);
    expect(requests).toBe(0);
  });
});

describe('not sent, and no use to try again', () => {
  it.each([400, 404, 413])('is a message that is answered with %i', async (code) => {
    const body = { errors: [{ message: 'The from address is not verified', field: 'from', help: null }] };
    const error = await errorOf((await answering(status(code, {}, body))).send(message()));
    expect(error).toBeInstanceOf(EmailRefused);
    expect((error as Error).message).toContain('The from address is not verified');
    expect(requests).toBe(1);
  });

  it('is a message that is answered with 403: the key may not send for this sender', async () => {
    const error = await errorOf((await answering(status(403))).send(message()));
    expect(error).toBeInstanceOf(EmailRefused);
    expect(inspect(error, { depth: 10 })).not.toContain(apiKey);
  });

  it('is a message that is answered with a redirect, which is not followed', async () => {
    const error = await errorOf((await answering(status(302, { Location: '/elsewhere' }))).send(message()));
    expect(error).toBeInstanceOf(EmailRefused);
    expect(requests).toBe(1);
    expect(inspect(error, { depth: 10 })).not.toContain(apiKey);
  });
});

describe('not sent, certainly, and worth another try', () => {
  it('is a message that is answered with 401: the key is at fault, and is told to nobody', async () => {
    const error = await errorOf((await answering(status(401))).send(message()));
    expect(error).toBeInstanceOf(EmailAccountRefused);
    expect((error as Error).message).toContain('SENDGRID_API_KEY');
    expect(inspect(error, { depth: 10 })).not.toContain(apiKey);
  });

  it('is a message that is answered with 429', async () => {
    expect(await errorOf((await answering(status(429))).send(message()))).toBeInstanceOf(EmailUnavailable);
    expect(requests).toBe(1);
  });

  it.each([
    [429, { 'Retry-After': '7' }, 7_000],
    [503, { 'Retry-After': '7' }, 7_000],
    [503, {}, null],
    [429, { 'X-RateLimit-Reset': '7' }, 7_000],
    [429, {}, null],
  ])('is a message that is answered with %i and %j: how long to wait is read', async (code, headers, expected) => {
    const error = await errorOf((await answering(status(code, headers))).send(message()));
    expect(error).toMatchObject({ retryAfterMs: expected });
  });

  it('is a message whose connection is refused', async () => {
    const server = await startServer(() => undefined);
    await server.close();
    const error = await errorOf(sendGridAt(server.url).send(message()));
    expect(error).toBeInstanceOf(EmailUnavailable);
    expect(inspect(error, { depth: 10 })).not.toContain(apiKey);
  });

  it('is a message whose host is not found', async () => {
    const error = await errorOf(sendGridAt('http://no-such-host.invalid', 5000).send(message()));
    expect(error).toBeInstanceOf(EmailUnavailable);
  });

  it('is a message whose connection never gets as far as a TLS session', async () => {
    const server = createTcpServer((socket) => void socket.resume()).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as { port: number };
    expect(await errorOf(sendGridAt(`https://127.0.0.1:${port}`, 500).send(message()))).toBeInstanceOf(
      EmailUnavailable,
    );
    server.close();
  });

  it('is a message that its caller gave up before', async () => {
    const transport = await answering(status(202));
    expect(await errorOf(transport.send(message(), AbortSignal.abort()))).toBeInstanceOf(EmailUnavailable);
    expect(requests).toBe(0);
  });
});

describe('handed over without an answer', () => {
  // A proxy responds so too, after it has forwarded the request.
  it.each([408, 500, 502, 503, 504])('is a message that is answered with %i', async (code) => {
    expect(await errorOf((await answering(status(code))).send(message()))).toBeInstanceOf(DeliveryUncertain);
    expect(requests).toBe(1);
  });

  it('is a message whose connection breaks', async () => {
    const transport = await answering((request) => request.socket.destroy());
    const error = await errorOf(transport.send(message()));
    expect(error).toBeInstanceOf(DeliveryUncertain);
    expect(error).toMatchObject({ retryable: false });
    expect(inspect(error, { depth: 10 })).not.toContain(apiKey);
    expect(requests).toBe(1);
  });

  it('is a message that is not answered in time', async () => {
    const transport = await answering(() => undefined, 300);
    expect(await errorOf(transport.send(message()))).toBeInstanceOf(DeliveryUncertain);
  });

  it('is a message that its caller gave up while the answer was awaited', async () => {
    const transport = await answering(() => undefined, 60_000);
    const caller = new AbortController();
    const error = errorOf(transport.send(message(), caller.signal));
    await eventually(() => requests === 1);
    caller.abort();
    expect(await error).toBeInstanceOf(DeliveryUncertain);
  });
});
