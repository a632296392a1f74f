import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { loadConfig } from '../../../config/env';
import type { Finding } from '../../../shared/engine/checks/Check';
import { mailCheck } from '../../../workers/doctor/mail';
import { selfSigned } from '../../support/certificate';
import { startServer } from '../gateways/localGateway';

const closing: (() => Promise<void>)[] = [];
let messages = 0;
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** A mail server that knows one user; returns its port. */
async function startMailServer(options: SMTPServerOptions = {}): Promise<number> {
  const server = new SMTPServer({
    disableReverseLookup: true,
    closeTimeout: 1,
    allowInsecureAuth: true,
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onAuth: ({ username = '', password }, _session, done) => {
      if (password === 's3cret-word') done(null, { user: username });
      else done(Object.assign(new Error('Authentication failed'), { responseCode: 535 }));
    },
    onData: (stream, _session, done) => {
      messages += 1;
      stream.resume().on('end', done);
    },
    ...options,
  });
  server.on('error', () => undefined);
  server.listen(0, '0.0.0.0');
  await once(server.server, 'listening');
  closing.push(() => new Promise((resolve) => server.close(resolve)));
  return (server.server.address() as AddressInfo).port;
}

async function examine(env: Record<string, string>): Promise<Finding> {
  const finding = await mailCheck(loadConfig({ EMAIL_TIMEOUT_MS: '3000', ...env })).run();
  expect(JSON.stringify(finding)).not.toMatch(/s3cret-word|another-word/);
  return finding;
}

describe('SMTP', () => {
  test('a server that takes the password, or asks for none › ok, and no message is sent', async () => {
    const port = await startMailServer();
    expect(await examine({ SMTP_URL: `smtp://user:s3cret-word@127.0.0.1:${port}` })).toEqual({
      status: 'ok',
      message: `127.0.0.1:${port} would take messages`,
    });
    expect(await examine({ SMTP_URL: `smtp://127.0.0.1:${port}` })).toMatchObject({ status: 'ok' });
    expect(messages).toBe(0);
  });

  test('a wrong password › broken, with the 535 of the server', async () => {
    const port = await startMailServer();
    const finding = await examine({ SMTP_URL: `smtp://user:another-word@127.0.0.1:${port}` });
    expect(finding).toMatchObject({ status: 'broken', remedy: expect.stringContaining('Correct SMTP_URL') as string });
    expect(finding.message).toContain('535');
  });

  test('a certificate of an unknown authority › broken, and names the variable for it', async () => {
    const made = selfSigned('mail');
    const port = await startMailServer({ ...made, disabledCommands: [] });
    // To the transport an address of another machine.
    const finding = await examine({ SMTP_URL: `smtp://user:s3cret-word@0.0.0.0:${port}` });
    expect(finding).toMatchObject({ status: 'broken' });
    expect(finding.message).toMatch(/authority that is not trusted .*NODE_EXTRA_CA_CERTS/);
  });

  test('a closed port › broken, with host and port', async () => {
    const finding = await examine({ SMTP_URL: 'smtp://user:s3cret-word@127.0.0.1:1' });
    expect(finding).toMatchObject({ status: 'broken', remedy: expect.stringContaining('host, port') as string });
    expect(finding.message).toMatch(/^127\.0\.0\.1:1: .*ECONNREFUSED/);
  });
});

describe('SendGrid', () => {
  async function examineSendGrid(status: number, body: object): Promise<{ finding: Finding; asked: string[] }> {
    const asked: string[] = [];
    const respond: RequestListener = (request, response) => {
      asked.push(`${request.method} ${request.url} ${request.headers.authorization}`);
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    };
    const server = await startServer(respond);
    closing.push(() => server.close());
    const env = { EMAIL_TRANSPORT: 'sendgrid', SENDGRID_API_KEY: 'SG.s3cret-word', SENDGRID_BASE_URL: server.url };
    return { finding: await examine(env), asked };
  }

  test('a key that may send › ok, after one call that reads', async () => {
    const { finding, asked } = await examineSendGrid(200, { scopes: ['alerts.read', 'mail.send'] });
    expect(finding).toMatchObject({ status: 'ok' });
    expect(asked).toEqual(['GET /v3/scopes Bearer SG.s3cret-word']);
  });

  test.each([
    ['an unknown key', 401, { errors: [{ message: 'authorization required' }] }, /SENDGRID_API_KEY \(401\)/],
    ['a key that may not send', 200, { scopes: ['alerts.read'] }, /lacks the permission "Mail Send"/],
    ['an error of SendGrid', 500, {}, /responded with 500/],
  ])('%s › broken', async (_what, status, body, message) => {
    const { finding } = await examineSendGrid(status, body);
    expect(finding).toMatchObject({ status: 'broken', remedy: expect.any(String) as string });
    expect(finding.message).toMatch(message);
  });
});
