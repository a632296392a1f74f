import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { EmailAccountRefused, EmailRefused, EmailUnavailable } from '../../../shared/engine/errors';
import { selfSigned, type Certificate } from '../../support/certificate';
import { errorOf, message, smtpAt } from './localEmail';

/** How each message arrived: over TLS or not, and as which user. */
interface Arrival {
  secure: boolean;
  user: string | null;
}

/** To the transport an address of another machine; here it is this one. */
const remote = '0.0.0.0';
const loopback = '127.0.0.1';
const withPassword = 'user:s3cret-word@';
/** What `MAIL_FROM` names. */
const oneSender = 'billing@acme.example.com';
let arrivals: Arrival[];
let heard: string[];
let authority: string;
let certificate: Certificate;
const closing: (() => Promise<void>)[] = [];

beforeAll(() => {
  certificate = selfSigned(remote);
  authority = certificate.cert;
});
beforeEach(() => {
  arrivals = [];
  heard = [];
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** A mail server that knows one user; returns its port. */
async function startServer(options: SMTPServerOptions = {}): Promise<number> {
  const server = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    disableReverseLookup: true,
    closeTimeout: 1,
    ...certificate,
    onAuth: ({ username = '', password }, _session, done) => {
      heard.push(`AUTH ${username}`);
      if (password === 's3cret-word') done(null, { user: username });
      else done(Object.assign(new Error('Authentication failed'), { responseCode: 535 }));
    },
    onData: (stream, session, done) => {
      stream.resume().on('end', () => {
        arrivals.push({
          secure: session.secure,
          user: session.user || null,
        });
        done();
      });
    },
    ...options,
  });
  // The transport hangs up on a certificate that it does not trust.
  server.on('error', () => undefined);
  server.listen(0, '0.0.0.0');
  await once(server.server, 'listening');
  closing.push(() => new Promise((resolve) => server.close(resolve)));
  return (server.server.address() as AddressInfo).port;
}

/** Sends one message; resolves with what it fails with, or null. */
async function sendTo(url: string, from = ''): Promise<Error | null> {
  const transport = smtpAt(url, 3_000, 1, from);
  try {
    await transport.send(message());
    return null;
  } catch (error) {
    return error as Error;
  } finally {
    await transport.close();
  }
}

const noStartTls: SMTPServerOptions = { disabledCommands: ['STARTTLS'], hideSTARTTLS: true };
const noAuth: SMTPServerOptions = { disabledCommands: ['AUTH'] };

describe('to this machine', () => {
  test.each([
    ['with a password and STARTTLS', withPassword, {}, { secure: true, user: 'user' }],
    ['with a password and no STARTTLS', withPassword, noStartTls, { secure: false, user: 'user' }],
    ['without a password, with STARTTLS', '', {}, { secure: true, user: null }],
    ['without a password and no STARTTLS', '', noStartTls, { secure: false, user: null }],
  ])('%s › the best that is offered is used, whatever the certificate', async (_what, user, options, arrival) => {
    const port = await startServer(options);
    expect(await sendTo(`smtp://${user}${loopback}:${port}`)).toBeNull();
    expect(arrivals).toEqual([arrival]);
  });

  test('by smtps › the certificate is not asked for either', async () => {
    const port = await startServer({ secure: true });
    expect(await sendTo(`smtps://${withPassword}${loopback}:${port}`)).toBeNull();
    expect(arrivals).toEqual([{ secure: true, user: 'user' }]);
  });
});

describe('to another machine', () => {
  test('without a password › TLS is opportunistic: an untrusted certificate stops nothing', async () => {
    expect(await sendTo(`smtp://${remote}:${await startServer()}`)).toBeNull();
    expect(await sendTo(`smtp://${remote}:${await startServer(noStartTls)}`)).toBeNull();
    expect(arrivals).toEqual([
      { secure: true, user: null },
      { secure: false, user: null },
    ]);
  });

  test('with a password and a certificate of a trusted authority › is sent over TLS', async () => {
    const port = await startServer();
    const trusted = `tls.ca=${encodeURIComponent(authority)}`;
    expect(await sendTo(`smtp://${withPassword}${remote}:${port}?${trusted}`)).toBeNull();
    expect(arrivals).toEqual([{ secure: true, user: 'user' }]);
  });

  test.each([
    ['smtp', withPassword, {}],
    ['smtps', withPassword, { secure: true }],
    ['smtps', '', { secure: true }],
  ])(
    'by %s, as "%s", to an untrusted certificate › is not sent, and the error says what to do',
    async (scheme, user, options) => {
      const error = await sendTo(`${scheme}://${user}${remote}:${await startServer(options)}`);
      expect(error).toBeInstanceOf(EmailUnavailable);
      expect(error?.message).toMatch(/certificate of an authority that is not trusted .*NODE_EXTRA_CA_CERTS/);
      expect([arrivals, heard]).toEqual([[], []]);
    },
  );

  test('with a password and a certificate for another name › is not sent, and the error says so', async () => {
    const other = selfSigned('other.example');
    const port = await startServer(other);
    const error = await sendTo(`smtp://${withPassword}${remote}:${port}?tls.ca=${encodeURIComponent(other.cert)}`);
    expect(error?.message).toBe('the mail server has a certificate that is not valid (ERR_TLS_CERT_ALTNAME_INVALID)');
  });

  test('with a password and no STARTTLS › is not sent, and neither is the password', async () => {
    const error = await sendTo(`smtp://${withPassword}${remote}:${await startServer(noStartTls)}`);
    expect(error).toBeInstanceOf(EmailAccountRefused);
    expect(error?.message).toContain('offers no STARTTLS');
    expect(heard).toEqual([]);
  });
});

describe('credentials that cannot be used', () => {
  test('a wrong password › is a fault of the configuration, and is shown to nobody', async () => {
    const error = await sendTo(`smtp://user:wr0ng-word@${loopback}:${await startServer()}`);
    expect(error).toBeInstanceOf(EmailAccountRefused);
    expect(error?.message).toMatch(/does not accept the user and password of SMTP_URL: .*535/);
    expect(JSON.stringify([error?.message, error, error?.cause])).not.toMatch(/wr0ng-word|d3IwbmctZ29yZA/);
  });

  test('a server without AUTH › nothing is sent without them, and the error says why', async () => {
    const error = await sendTo(`smtp://${withPassword}${loopback}:${await startServer(noAuth)}`);
    expect(error).toBeInstanceOf(EmailAccountRefused);
    expect(error?.message).toContain('offers no AUTH for the user and password of SMTP_URL');
    expect(arrivals).toEqual([]);
  });

  test('a user without a password › is a fault of the configuration', async () => {
    expect(await sendTo(`smtp://user@${loopback}:${await startServer()}`)).toBeInstanceOf(EmailAccountRefused);
  });

  test('none for a server that wants some › is a fault of the configuration if all have one sender: no message is lost for it', async () => {
    const error = await sendTo(`smtp://${loopback}:${await startServer({ authOptional: false })}`, oneSender);
    expect(error).toBeInstanceOf(EmailAccountRefused);
    expect(error?.message).toContain('requires a user and password in SMTP_URL');
  });

  test.each([
    ['its sender, where each company has its own', 'onMailFrom', ''],
    ['its recipient', 'onRcptTo', oneSender],
    ['its content', 'onData', oneSender],
  ] as const)('wanted for one message, for %s › refuse that message alone', async (_what, at, from) => {
    const required = Object.assign(new Error('5.7.0 Authentication required'), { responseCode: 530 });
    const port = await startServer({
      [at]: (subject: Readable | object, _session: unknown, done: (error: Error) => void) =>
        subject instanceof Readable ? subject.resume().on('end', () => done(required)) : done(required),
    });
    const error = await sendTo(`smtp://${loopback}:${port}`, from);
    expect(error).toBeInstanceOf(EmailRefused);
    expect(error?.message).toContain('530 5.7.0 Authentication required');
  });
});

describe('an account that has sent all that it may', () => {
  const reply = '5.4.5 Daily user sending limit exceeded';
  const at = (stage: 'onMailFrom' | 'onRcptTo' | 'onData'): SMTPServerOptions => ({
    [stage]: (subject: Readable | object, _session: unknown, done: (error: Error) => void) => {
      const refuse = () => done(Object.assign(new Error(reply), { responseCode: 550 }));
      if (subject instanceof Readable) subject.resume().on('end', refuse);
      else refuse();
    },
  });

  /** A server that replies so to the command DATA, before there is a message. */
  const startRefusingData = async (): Promise<number> => {
    const server = createServer((socket) => {
      socket.write('220 ready\r\n');
      createInterface(socket).on('line', (line) => socket.write(line === 'DATA' ? `550 ${reply}\r\n` : '250 yes\r\n'));
    }).listen(0, loopback);
    await once(server, 'listening');
    closing.push(() => new Promise((resolve) => server.close(() => resolve())));
    return (server.address() as AddressInfo).port;
  };

  test.each([
    ['MAIL', () => startServer(at('onMailFrom'))],
    ['DATA', startRefusingData],
  ])('in reply to %s › all messages of the one sender wait', async (_command, start) => {
    const error = await sendTo(`smtp://${loopback}:${await start()}`, oneSender);
    expect(error).toBeInstanceOf(EmailAccountRefused);
    expect(error?.message).toContain(`may send no more for now: 550 ${reply}`);
  });

  test.each([
    ['onMailFrom', 'whose company has a sender of its own', ''],
    ['onRcptTo', 'whose recipient it may be about', oneSender],
    ['onData', "that the recipient's own server may have refused", oneSender],
  ] as const)('by %s › a message %s is retried alone', async (stage, _whose, from) => {
    const error = await sendTo(`smtp://${loopback}:${await startServer(at(stage))}`, from);
    expect(error).toBeInstanceOf(EmailUnavailable);
    expect(error).not.toBeInstanceOf(EmailAccountRefused);
  });
});

test('a server that the transport cannot reach › is no fault of the account', async () => {
  const error = await errorOf(smtpAt(`smtp://${withPassword}${loopback}:1`).send(message()));
  expect(error).not.toBeInstanceOf(EmailAccountRefused);
  expect(error).toBeInstanceOf(EmailUnavailable);
});
