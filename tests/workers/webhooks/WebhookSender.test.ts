import type { LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { Webhook } from 'standardwebhooks';
import { isPublicAddress } from '../../../shared/webhooks';
import type { Resolve } from '../../../workers/webhooks/checkedLookup';
import { signingKey } from '../../../workers/webhooks/signatures';
import {
  CONNECTION_MS,
  WebhookSender,
  type Attempt,
  type SenderOptions,
  type WebhookRequest,
} from '../../../workers/webhooks/WebhookSender';
import { issuedBy } from '../../support/certificate';
import { atEnd } from '../../support/installation';
import { eventually } from '../../support/eventually';
import { closedPort, startEndpoint, startRawEndpoint, startTlsEndpoint, type Respond } from './localEndpoint';

const secret = `whsec_${Buffer.from('a secret of twenty-four bytes').toString('base64')}`;
const older = `whsec_${Buffer.from('the secret before this secret').toString('base64')}`;
const body = '{"type":"invoice.paid","timestamp":"2026-01-31T10:00:00.000Z","data":{"id":4711}}';
/** A body of which a connection may receive one for each request, and no three for one request. */
const long = 'a'.repeat(30_000);

function sender(options: Partial<SenderOptions> = {}): WebhookSender {
  const made = new WebhookSender({
    allowPrivate: true,
    timeoutMs: 15_000,
    clock: { now: () => new Date() },
    ...options,
  });
  atEnd(() => made.close());
  return made;
}

const requestTo = (
  url: string,
  secrets = [secret],
  charge: WebhookRequest['charge'] = () => undefined,
): WebhookRequest => ({
  ...{ companyId: 1, url: new URL(url), id: 'evt_4711', body, charge },
  keys: secrets.map(signingKey),
});

async function send(
  url: string,
  { by = sender(), secrets = [secret], signal = new AbortController().signal } = {},
): Promise<Attempt> {
  const ended = await by.send(requestTo(url, secrets), signal);
  if (ended === null) throw new Error('the attempt was aborted');
  return ended;
}

const found =
  (addresses: readonly LookupAddress[]): Resolve =>
  () =>
    Promise.resolve({ addresses, costMs: 0 });

const failure = (error: string): object => ({ status: null, responseBody: null, error });

describe('a request', () => {
  it('is a POST of JSON with the headers of Standard Webhooks', async () => {
    const endpoint = await startEndpoint();
    const clock = { now: () => new Date('2026-02-03T04:05:06.789Z') };
    const ended = await send(endpoint.url, { by: sender({ clock }) });
    expect(ended).toEqual({ status: 204, responseBody: '', error: null, durationMs: expect.any(Number) as number });
    expect(endpoint.received).toMatchObject([
      {
        method: 'POST',
        path: '/hooks?of=us',
        body,
        headers: {
          'content-type': 'application/json',
          'content-length': String(body.length),
          'user-agent': expect.stringMatching(/^invoicing-service\/\d/) as string,
          'webhook-id': 'evt_4711',
          'webhook-timestamp': '1770091506',
        },
      },
    ]);
  });

  it('has a signature of each secret, which the package standardwebhooks verifies', async () => {
    const endpoint = await startEndpoint();
    await send(endpoint.url, { secrets: [secret, older] });
    const [{ headers = {}, body: text = '' } = {}] = endpoint.received;
    expect(headers['webhook-signature']).toMatch(/^v1,\S{44} v1,\S{44}$/);
    for (const one of [secret, older]) expect(new Webhook(one).verify(text, headers)).toEqual(JSON.parse(body));
    const other = `whsec_${Buffer.from('another secret of these bytes').toString('base64')}`;
    expect(() => new Webhook(other).verify(text, headers)).toThrow();
    expect(() => new Webhook(secret).verify(text.replace('4711', '4712'), headers)).toThrow();
  });

  it('follows another over the same connection, however much the responses have together', async () => {
    const endpoint = await startEndpoint((_, response) => void response.end(long));
    const by = sender();
    for (let sent = 0; sent < 4; sent++) await send(endpoint.url, { by });
    expect(endpoint.connections()).toBe(1);
  });

  it('of another company goes over a connection of its own', async () => {
    const endpoint = await startEndpoint();
    const by = sender();
    const request = requestTo(endpoint.url);
    for (const companyId of [1, 2, 1, 2]) await by.send({ ...request, companyId }, new AbortController().signal);
    expect(endpoint.connections()).toBe(2);
  });

  it('costs its company more when it opens a connection, and what the bytes of the response take', async () => {
    const endpoint = await startEndpoint((_, response) => void response.end('taken'));
    const by = sender();
    const costs: number[] = [];
    const charge = (ms: number): void => void costs.push(ms);
    const opened = (): number => costs.filter((ms) => ms === CONNECTION_MS).length;
    const request = requestTo(endpoint.url, [secret], charge);
    for (let sent = 0; sent < 3; sent++) await by.send(request, new AbortController().signal);
    expect(opened()).toBe(1);
    expect(costs.length).toBeGreaterThanOrEqual(1 + 3);
    await endpoint.close();
    await by.send(request, new AbortController().signal);
    expect(opened()).toBeGreaterThan(1);
  });

  it('is sent again over a new connection, if the far side closes the kept one', async () => {
    let requests = 0;
    const url = await startRawEndpoint((socket) => {
      let ofConnection = 0;
      socket.on('data', (bytes: Buffer) => {
        // A body may arrive after its head.
        if (!bytes.toString('latin1').startsWith('POST ')) return;
        requests += 1;
        ofConnection += 1;
        if (ofConnection === 1) socket.write('HTTP/1.1 204 No Content\r\n\r\n');
        else socket.destroy();
      });
    });
    const by = sender();
    expect(await send(url, { by })).toMatchObject({ status: 204 });
    expect(await send(url, { by })).toMatchObject({ status: 204 });
    expect(requests).toBe(3);
  });

  it('that is aborted has no outcome', async () => {
    const endpoint = await startEndpoint(() => undefined);
    const aborted = new AbortController();
    const by = sender({ timeoutMs: 20_000 });
    const ended = by.send(requestTo(endpoint.url), aborted.signal);
    await eventually(() => endpoint.received.length === 1);
    aborted.abort();
    expect(await ended).toBeNull();
    expect(await by.send(requestTo(endpoint.url), AbortSignal.abort())).toBeNull();
    expect(endpoint.received).toHaveLength(1);
  });
});

describe('a response', () => {
  it('is kept with the first 1,024 bytes of its body, without the half of a character', async () => {
    const endpoint = await startEndpoint((_, response) => void response.writeHead(500).end(`x${'é'.repeat(3_000)}`));
    expect(await send(endpoint.url)).toMatchObject({ status: 500, responseBody: `x${'é'.repeat(511)}`, error: null });
  });

  it('of a gigabyte is read for a few kilobytes', async () => {
    let written = 0;
    let ended = false;
    const endpoint = await startEndpoint((_, response) => {
      response.writeHead(200, { 'content-length': String(2 ** 30) });
      const chunk = Buffer.alloc(65_536, 'a');
      const more = (): void => {
        while (!ended && written < 2 ** 30 && response.write(chunk)) written += chunk.length;
      };
      response.on('drain', more).on('close', () => (ended = true));
      more();
    });
    expect(await send(endpoint.url)).toMatchObject({ status: 200, responseBody: 'a'.repeat(1_024) });
    await eventually(() => ended);
    // What the buffers of both sockets hold.
    expect(written).toBeLessThan(32 * 1024 * 1024);
  });

  it('whose body comes in thousands of tiny chunks is read for some of them', async () => {
    const closed: boolean[] = [];
    const url = await startRawEndpoint((socket) => {
      socket.on('close', () => closed.push(true));
      const chunks = '1\r\na\r\n'.repeat(10_000);
      socket.once('data', () =>
        socket.write(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`),
      );
    });
    expect(await send(url)).toMatchObject({ status: 200, responseBody: 'a'.repeat(64), error: null });
    await eventually(() => closed.length === 1);
  });

  it('may follow some interim responses', async () => {
    const url = await startRawEndpoint((socket) => {
      const hints = 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(7);
      socket.once('data', () => socket.write(`HTTP/1.1 100 Continue\r\n\r\n${hints.slice(28)}HTTP/1.1 204 OK\r\n\r\n`));
    });
    expect(await send(url)).toMatchObject({ status: 204, error: null });
  });

  it('is not decompressed', async () => {
    const bomb = gzipSync(Buffer.alloc(10_000_000));
    const endpoint = await startEndpoint((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
    });
    const { responseBody } = await send(endpoint.url);
    expect(responseBody?.startsWith('\u001f')).toBe(true);
    expect(endpoint.received[0]?.headers['accept-encoding']).toBe('identity');
  });

  it('that redirects is not followed', async () => {
    const target = await startEndpoint();
    const endpoint = await startEndpoint((_, response) => {
      response.writeHead(307, { location: target.url }).end();
    });
    expect(await send(endpoint.url)).toMatchObject({ status: 307, error: null });
    expect(target.received).toEqual([]);
  });

  it('whose body does not end counts by its status', async () => {
    const endpoint = await startEndpoint((_, response) => void response.writeHead(200).write('begun'));
    expect(await send(endpoint.url)).toMatchObject({ status: 200, responseBody: 'begun', error: null });
  });

  it('whose body breaks off counts by its status', async () => {
    const url = await startRawEndpoint((socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nbegun'));
    });
    expect(await send(url)).toMatchObject({ status: 200, responseBody: 'begun', error: null });
  });
});

describe('an attempt without a response', () => {
  it('times out when nothing is received', async () => {
    const endpoint = await startEndpoint(() => undefined);
    expect(await send(endpoint.url, { by: sender({ timeoutMs: 400 }) })).toMatchObject(failure('timed_out'));
  });

  it('times out when the head is received byte by byte', async () => {
    const url = await startRawEndpoint((socket) => {
      const timer = setInterval(() => socket.write('a'), 20);
      socket.write('HTTP/1.1 200 OK\r\nx-endless: ');
      socket.on('close', () => clearInterval(timer));
    });
    expect(await send(url, { by: sender({ timeoutMs: 400 }) })).toMatchObject(failure('timed_out'));
  });

  it('is invalid when interim responses do not end', async () => {
    const url = await startRawEndpoint((socket) => {
      const hints = Buffer.from('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(1_000));
      const pour = (): void => {
        while (!socket.destroyed && socket.write(hints));
      };
      socket.on('drain', pour).once('data', pour);
    });
    expect(await send(url)).toMatchObject(failure('response_invalid'));
  });

  it.each(['http:', 'https:'])('is invalid when its heads have thousands of fields, with %s', async (protocol) => {
    const fields = 'a:\r\n'.repeat(16_000);
    const heads = `${`HTTP/1.1 103 Early Hints\r\n${fields}\r\n`.repeat(7)}HTTP/1.1 200 OK\r\n${fields}\r\n`;
    const { trusted, ...certificate } = issuedBy(1, 'localhost');
    const respond: Respond = (_, response) => void response.socket?.end(heads);
    const endpoint = await (protocol === 'http:' ? startEndpoint(respond) : startTlsEndpoint(certificate, respond));
    expect(await send(endpoint.url, { by: sender({ authorities: trusted }) })).toMatchObject(
      failure('response_invalid'),
    );
  });

  it('times out while the name is looked up', async () => {
    const resolve: Resolve = () => sleep(20_000, { addresses: [], costMs: 0 }, { ref: false });
    expect(await send('http://slow.example/', { by: sender({ resolve, timeoutMs: 400 }) })).toMatchObject(
      failure('timed_out'),
    );
  });

  it.each([
    ['response_invalid', 'no HTTP', 'SSH-2.0-OpenSSH_9.2\r\n'],
    ['response_invalid', 'a header of 20 kB', `HTTP/1.1 200 OK\r\nx-large: ${'a'.repeat(20_000)}\r\n\r\n`],
    ['response_invalid', '5,000 headers', `HTTP/1.1 200 OK\r\n${'x-many: a\r\n'.repeat(5_000)}\r\n`],
    ['connection_closed', 'half a head', 'HTTP/1.1 200 OK\r\nx-begun: '],
    ['connection_closed', 'early hints alone', 'HTTP/1.1 103 Early Hints\r\n\r\n'],
  ])('is %s when the far side writes %s and closes', async (error, _what, written) => {
    const url = await startRawEndpoint((socket) => {
      socket.once('data', () => socket.end(written));
    });
    expect(await send(url)).toMatchObject(failure(error));
  });

  it('ends when the far side changes the protocol', async () => {
    const url = await startRawEndpoint((socket) => {
      socket.once('data', () =>
        socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n'),
      );
    });
    expect(await send(url)).toMatchObject({ status: null, error: 'connection_failed' });
  });

  it('is connection_refused when nothing listens', async () => {
    expect(await send(`http://127.0.0.1:${await closedPort()}/`)).toMatchObject(failure('connection_refused'));
  });

  it('is host_not_found when the name does not exist', async () => {
    expect(await send('http://nowhere.invalid/', { by: sender({ timeoutMs: 20_000 }) })).toMatchObject(
      failure('host_not_found'),
    );
  });

  it('is certificate_invalid when nobody has signed the certificate', async () => {
    const endpoint = await startTlsEndpoint();
    expect(await send(endpoint.url)).toMatchObject(failure('certificate_invalid'));
    expect(endpoint.received).toEqual([]);
  });

  it('is tls_failed when the far side speaks no TLS', async () => {
    const endpoint = await startEndpoint();
    expect(await send(endpoint.url.replace('http:', 'https:'))).toMatchObject(failure('tls_failed'));
  });
});

describe('over TLS', () => {
  it('requests follow one another over one connection to an endpoint with a chain of certificates', async () => {
    const { trusted, ...certificate } = issuedBy(3, 'localhost');
    const endpoint = await startTlsEndpoint(certificate, (_, response) => void response.end(long));
    const by = sender({ authorities: trusted });
    for (let sent = 0; sent < 3; sent++)
      expect(await send(endpoint.url, { by })).toMatchObject({ status: 200, error: null });
    expect(endpoint.connections()).toBe(1);
  });

  it.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'an attempt is handshake_too_large when the chain of certificates is, with %s',
    async (version) => {
      const { trusted, ...certificate } = issuedBy(70, 'localhost');
      const endpoint = await startTlsEndpoint({ ...certificate, minVersion: version, maxVersion: version });
      expect(await send(endpoint.url, { by: sender({ authorities: trusted }) })).toMatchObject(
        failure('handshake_too_large'),
      );
      expect(endpoint.received).toEqual([]);
    },
  );

  it('a large response is read for some of it, and counts by its status', async () => {
    const { trusted, ...certificate } = issuedBy(1, 'localhost');
    const endpoint = await startTlsEndpoint(certificate, (_, response) => {
      response.writeHead(500).end(Buffer.alloc(1_000_000, 'a'));
    });
    const by = sender({ authorities: trusted });
    expect(await send(endpoint.url, { by })).toMatchObject({ status: 500, responseBody: 'a'.repeat(1_024) });
    expect(await send(endpoint.url, { by })).toMatchObject({ status: 500, responseBody: 'a'.repeat(1_024) });
  });

  it('an endpoint cannot ask for another handshake', async () => {
    const { trusted, ...certificate } = issuedBy(1, 'localhost');
    const endpoint = await startTlsEndpoint({ ...certificate, maxVersion: 'TLSv1.2' }, () => undefined);
    const refused: string[] = [];
    endpoint.onSecure((socket) => {
      socket.on('error', ({ code = '' }: NodeJS.ErrnoException) => refused.push(code));
      socket.renegotiate({}, () => undefined);
    });
    expect(await send(endpoint.url, { by: sender({ authorities: trusted }) })).toMatchObject(failure('tls_failed'));
    expect(refused).toContain('ERR_SSL_NO_RENEGOTIATION');
  });

  it('an endpoint cannot choose a Diffie-Hellman key exchange of any size', async () => {
    const { trusted, ...certificate } = issuedBy(1, 'localhost');
    const options = { maxVersion: 'TLSv1.2', ciphers: 'kDHE', dhparam: 'auto' } as const;
    const endpoint = await startTlsEndpoint({ ...certificate, ...options });
    expect(await send(endpoint.url, { by: sender({ authorities: trusted }) })).toMatchObject(failure('tls_failed'));
  });
});

it('a response of the greatest length, and a byte after it › is one that was received; the process goes on', async () => {
  const head = 'HTTP/1.1 200 OK\r\nContent-Length: 65494\r\n\r\n';
  const all = Buffer.from(head.padEnd(65_536, 'x'));
  expect(head.length + 65_494).toBe(all.length);
  const url = await startRawEndpoint((socket) => {
    socket.setNoDelay(true).once('data', () => {
      socket.write(all.subarray(0, -1_000));
      // The end and the byte arrive together, and after the rest.
      setTimeout(() => socket.write(Buffer.concat([all.subarray(-1_000), Buffer.from('y')])), 100);
    });
  });
  expect(await send(url)).toMatchObject({ status: 200 });
  // An error without a listener would be thrown by now.
  await setImmediate();
});

it('with private addresses, one name of a company is looked up at a time: look-ups of the machine share two threads', async () => {
  const asked: string[] = [];
  const answers: (() => void)[] = [];
  const resolve: Resolve = (name) => {
    asked.push(name);
    return new Promise((answer) => answers.push(() => answer({ addresses: [], costMs: 0, code: 'ENOTFOUND' })));
  };
  const by = sender({ resolve });
  const ends = ['a', 'b'].map((name) => send(`http://${name}.example/`, { by }));
  await eventually(() => asked.length > 0);
  await setImmediate();
  expect(asked).toEqual(['a.example']);
  answers[0]?.();
  await eventually(() => asked.length > 1);
  answers[1]?.();
  for (const end of ends) expect(await end).toMatchObject(failure('host_not_found'));
});

describe('without private addresses', () => {
  const closed = (options: Partial<SenderOptions> = {}): WebhookSender => sender({ allowPrivate: false, ...options });

  it.each(['127.0.0.1', '2130706433', '0x7f.1', '[::1]', '[::ffff:127.0.0.1]', '169.254.169.254', '10.0.0.1'])(
    'no request goes to http://%s',
    async (host) => {
      const endpoint = await startEndpoint();
      const { port } = new URL(endpoint.url);
      expect(await send(`http://${host}:${port}/`, { by: closed() })).toMatchObject(failure('address_not_allowed'));
      expect(endpoint.connections()).toBe(0);
    },
  );

  it('no request goes to a name whose addresses are private', async () => {
    const endpoint = await startEndpoint();
    const resolve = found([
      { address: '::1', family: 6 },
      { address: '127.0.0.1', family: 4 },
    ]);
    const url = `http://rebound.example:${new URL(endpoint.url).port}/`;
    expect(await send(url, { by: closed({ resolve }) })).toMatchObject(failure('address_not_allowed'));
    expect(endpoint.connections()).toBe(0);
  });

  it('of a name with thousands of addresses, the first eight of each family are checked', async () => {
    const endpoint = await startEndpoint();
    const many = (first: string, family: number): LookupAddress[] =>
      Array.from({ length: 3_000 }, (_, index) => ({ address: index === 7 ? first : '192.0.2.1', family }));
    const resolve = found([...many('2001:db8::1', 6), ...many('127.0.0.1', 4)]);
    const checked: string[] = [];
    const isAllowed = (ip: string): boolean => checked.push(ip) > 0 && ip === '127.0.0.1';
    const url = `http://many.example:${new URL(endpoint.url).port}/`;
    expect(await send(url, { by: closed({ resolve, isAllowed }) })).toMatchObject({ status: 204 });
    // The last one is that of the connection.
    expect(checked).toHaveLength(2 * 8 + 1);
  });

  it('a connection goes to the addresses that were checked, also if the name has others a moment later', async () => {
    const endpoint = await startEndpoint();
    const answers = [[{ address: '127.0.0.1', family: 4 }], [{ address: '127.0.0.2', family: 4 }]];
    const asked: string[] = [];
    const resolve: Resolve = (name) => {
      asked.push(name);
      return Promise.resolve({ addresses: answers.shift() ?? [], costMs: 0 });
    };
    const isAllowed = (ip: string): boolean => ip === '127.0.0.1';
    const by = closed({ resolve, isAllowed });
    const url = `http://rebound.example:${new URL(endpoint.url).port}/`;
    expect(await send(url, { by })).toMatchObject({ status: 204 });
    // The kept connection needs no look-up.
    expect(await send(url, { by })).toMatchObject({ status: 204 });
    expect(asked).toEqual(['rebound.example']);
    endpoint.respond((_, response) => void response.setHeader('connection', 'close').end());
    expect(await send(url, { by })).toMatchObject({ status: 200 });
    expect(await send(url, { by })).toMatchObject(failure('address_not_allowed'));
    expect(asked).toHaveLength(2);
    expect(endpoint.received).toHaveLength(3);
  });

  it.each(['http:', 'https:'])(
    'nothing is sent over a connection to another address than was checked, with %s',
    async (protocol) => {
      const read: Buffer[] = [];
      let connected = 0;
      const url = await startRawEndpoint((socket) => {
        connected += 1;
        socket.on('data', (chunk: Buffer) => read.push(chunk));
      });
      // The look-up is checked first and allows it; the second check sees what the socket is connected to.
      let checks = 0;
      const isAllowed = (ip: string): boolean => (checks++ === 0 ? true : isPublicAddress(ip));
      const resolve = found([{ address: '127.0.0.1', family: 4 }]);
      const target = `${protocol}//rebound.example:${new URL(url).port}/`;
      expect(await send(target, { by: closed({ resolve, isAllowed }) })).toMatchObject(failure('address_not_allowed'));
      await eventually(() => connected === 1);
      expect(read).toEqual([]);
    },
  );
});

it('an idle connection is closed when its server sends something, however slowly', async () => {
  const ended = new AbortController();
  const trickling = startRawEndpoint((socket) => {
    socket.once('data', () => socket.write('HTTP/1.1 204 No Content\r\n\r\n'));
    const timer = setInterval(() => socket.write(' '), 500);
    socket.once('close', () => {
      clearInterval(timer);
      ended.abort();
    });
  });
  await send(await trickling);
  // Without an end the socket would stay open for as long as the bytes come.
  await once(ended.signal, 'abort');
});

it('idle connections of a company leave room for those of another', async () => {
  const [by, other] = [sender(), await startEndpoint()];
  const many = await Promise.all(Array.from({ length: 11 }, () => startEndpoint()));
  // Kept for each endpoint are at most 20, and 200 for all.
  await Promise.all(many.flatMap(({ url }) => Array.from({ length: 20 }, () => send(url, { by }))));
  for (const _ of 'ab') await by.send({ ...requestTo(other.url), companyId: 2 }, new AbortController().signal);
  expect(other.connections()).toBe(1);
});

it('connections that are idle are closed with the sender', async () => {
  const endpoint = await startEndpoint();
  const closing = startRawEndpoint((socket) => {
    socket.once('data', () => socket.write('HTTP/1.1 204 No Content\r\n\r\n'));
    socket.once('close', () => ended.abort());
  });
  const ended = new AbortController();
  const by = sender();
  await send(await closing, { by });
  await send(endpoint.url, { by });
  const closed = once(ended.signal, 'abort');
  by.close();
  await closed;
});
