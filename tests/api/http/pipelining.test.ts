import { setImmediate as nextIteration } from 'node:timers/promises';
import { Arrivals } from '../../../api/http/connections/Arrivals';
import { MinimumRate } from '../../../api/http/limits/MinimumRate';
import { ApiKeys } from '../../../api/apiKeys/ApiKeys';
import { eventually } from '../../support/eventually';
import { createCompany } from '../../support/factories';
import { heldByBuffers } from '../../support/memory';
import { head, RawConnection } from '../../support/rawHttp';
import { startApi, type TestApi } from '../../support/server';

const KIB = 1024;
let api: TestApi;
let token: string;
beforeAll(async () => {
  api = await startApi({ env: { MAX_CONNECTIONS: '20', XENDIT_CALLBACK_TOKEN: 'right' } });
  ({ token } = await createCompany(api.services));
});

const get = (path: string, bearer = token): string => head('GET', path, bearer, {});
const longPoll = '/api/events?after=0&wait=20';

test('a few pipelined requests › all have their responses, in order', async () => {
  const client = await RawConnection.open(api.url);
  const created = JSON.stringify({ name: 'Office' });
  await client.send(
    [
      get('/api/categories'),
      head('POST', '/api/categories', token, { 'Content-Length': created.length }) + created,
      get('/api/categories?search=Off'),
      get('/api/nowhere'),
    ].join(''),
  );
  const text = await client.until(/route_not_found/);
  expect([...text.matchAll(/HTTP\/1.1 (\d+)/g)].map(([, status]) => status)).toEqual(['200', '201', '200', '404']);
  expect(text).toMatch(/"total":0[^]*"name":"Office"[^]*"total":1/);
  client.socket.destroy();
});

test.each([
  ['behind a long poll', () => get(longPoll)],
  ['with a wrong key', () => get('/api/events', 'inv_wrong')],
  ['without a Host', () => 'GET / HTTP/1.1\r\n\r\n'],
])(
  'many pipelined requests %s › close their connection; few are handled, and other clients are served',
  async (_, first) => {
    const found = jest.spyOn(ApiKeys.prototype, 'find');
    const cached = jest.spyOn(ApiKeys.prototype, 'cached');
    const client = await RawConnection.open(api.url);
    void client.send(first() + get('/x', 'inv_wrong').replace('/x', '/api/x').repeat(20_000));
    await client.untilClosed();
    expect(found.mock.calls.length).toBeLessThanOrEqual(4);
    expect(cached.mock.calls.length).toBeLessThanOrEqual(4);
    await api.as(token).get('/api/company').expect(200);
  },
);

/** Nothing else closes a connection in these tests. */
function patient(): void {
  const { headersTimeout, requestTimeout, keepAliveTimeout } = api.server;
  Object.assign(api.server, { headersTimeout: 0, requestTimeout: 0, keepAliveTimeout: 0 });
  impatient = () => Object.assign(api.server, { headersTimeout, requestTimeout, keepAliveTimeout });
  jest.spyOn(MinimumRate.prototype, 'watch').mockReturnValue(() => undefined);
}
let impatient = (): unknown => undefined;
afterEach(() => impatient());

describe('blank lines, which are allowed between requests', () => {
  beforeEach(patient);
  const blank = (bytes: number): string => '\r\n'.repeat(bytes / 2);

  test.each([
    ['before the first request', ''],
    ['after a request', get('/healthz')],
    ['behind a long poll', get(longPoll)],
  ])('without an end %s › close the connection', async (_, first) => {
    const client = await RawConnection.open(api.url);
    await client.send(first.replace('Bearer undefined', `Bearer ${token}`));
    await client.send(blank(4 * KIB * KIB));
    await client.untilClosed();
  });

  test('16 KiB before each of three requests › are skipped', async () => {
    const client = await RawConnection.open(api.url);
    for (let sent = 1; sent <= 3; sent++) {
      await client.send(blank(16 * KIB) + get('/api/company'));
      await client.until(new RegExp(`(HTTP/1.1 200[^]*){${sent}}`));
    }
    client.socket.destroy();
  });
});

describe('a head that comes in pieces', () => {
  beforeEach(patient);
  const open = async (): Promise<RawConnection> => {
    const client = await RawConnection.open(api.url);
    client.socket.setNoDelay();
    return client;
  };

  test('of a byte › is read in larger ones after the first 32, and served', async () => {
    const read = jest.spyOn(Arrivals.prototype, 'chunkArrived');
    const client = await open();
    await client.send('GET /healthz HTTP/1.1\r\nHost: a\r\nX: ');
    for (let sent = 0; sent < 400; sent++) {
      await client.send('x');
      await nextIteration();
    }
    await client.send('\r\n\r\n');
    await client.until(/HTTP\/1.1 200/);
    expect(read.mock.calls.length).toBeLessThan(200);
    client.socket.destroy();
  });

  test('whose body comes in tiny ones as well, some with content › is read in larger ones after the first 32', async () => {
    const read = jest.spyOn(Arrivals.prototype, 'readRarely');
    const client = await open();
    await client.send(
      head('POST', '/api/clients', token, { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' }),
    );
    const pieces = [...'0'.repeat(9), '1\r\n', ' ', '\r\n'];
    for (let sent = 0; sent < 400; sent++) {
      await client.send(pieces[sent % pieces.length] ?? '');
      await nextIteration();
    }
    expect(read.mock.calls.length).toBeGreaterThan(0);
    client.socket.destroy();
  });

  test('of a line, 45 of them for each request › is served', async () => {
    const client = await open();
    const lines = Array.from({ length: 41 }, (_, at) => `X-Line-${at}: 1234567890\r\n`);
    for (let served = 1; served <= 3; served++) {
      const text = get('/api/company').replace(/\r\n$/, `${lines.join('')}\r\n`);
      for (const line of text.match(/.*\r\n/g) ?? []) {
        await client.send(line);
        await nextIteration();
      }
      await client.until(new RegExp(`(HTTP/1.1 200[^]*){${served}}`));
    }
    client.socket.destroy();
  });

  test('that is not complete › counts among what arrives at the same time', async () => {
    const counted = jest.spyOn(Arrivals.prototype, 'chunkArrived');
    const client = await open();
    for (const piece of ['GET /heal', 'thz HTTP/1.1\r\n', 'Host: a\r\n']) {
      const before = counted.mock.calls.length;
      await client.send(piece);
      await eventually(() => counted.mock.calls.length > before);
    }
    client.socket.destroy();
  });
});

describe('what Node.js parses without reporting it', () => {
  beforeEach(patient);
  const chunked = { 'Transfer-Encoding': 'chunked', 'Content-Type': 'application/json' };
  const post = (key = token): string => head('POST', '/api/invoices', key, chunked);

  test.each([
    ['zeros before the size of a chunk', () => post(), '0'],
    ['zeros, without a key', () => head('GET', '/healthz', '', chunked), '0'],
    ['spaces in a trailer', () => `${post()}2\r\n{}\r\n0\r\nX:`, ' '],
    ['zeros behind a byte of content', () => `${post()}1\r\n \r\n`, '0'],
  ])('%s, without an end › close the connection', async (_, first, filler) => {
    const client = await RawConnection.open(api.url);
    await client.send(first());
    await client.send(filler.repeat(4 * KIB * KIB));
    await client.untilClosed();
  });

  test('chunks with extensions and a body of 1 MB › are read', async () => {
    const client = await RawConnection.open(api.url);
    const chunk = `2000;name="value"\r\n${' '.repeat(8 * KIB)}\r\n`;
    await client.send(`${post()}${chunk.repeat(100)}2\r\n{}\r\n0\r\n\r\n`);
    expect(await client.until(/\}/)).toMatch(/^HTTP\/1.1 400 [^]*validation_failed/);
    client.socket.destroy();
  });
});

test.each(['http://[', 'http://%@a/'])('the target %s, which is no address › 400', async (target) => {
  const client = await RawConnection.open(api.url);
  await client.send(`GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`);
  expect(await client.until(/\}/)).toMatch(/^HTTP\/1.1 400 [^]*no address/);
  client.socket.destroy();
});

test('a request without a Host › 400 in the one shape; HTTP/1.0 needs none', async () => {
  const client = await RawConnection.open(api.url);
  await client.send('GET /healthz HTTP/1.1\r\n\r\n');
  expect(await client.until(/\}/)).toMatch(/^HTTP\/1.1 400 [^]*application\/problem\+json[^]*no Host header/);
  client.socket.destroy();
  const old = await RawConnection.open(api.url);
  await old.send('GET /healthz HTTP/1.0\r\n\r\n');
  expect(await old.untilClosed()).toMatch(/^HTTP\/1.1 200 /);
});

test('bodies of requests that have none › are not kept in memory while the request waits', async () => {
  const body = Buffer.alloc(2_000 * KIB);
  const before = heldByBuffers();
  const clients = await Promise.all(
    Array.from({ length: 8 }, async () => {
      const client = await RawConnection.open(api.url);
      await client.send(head('GET', longPoll, token, { 'Content-Length': 64 * KIB * KIB }));
      void client.send(body);
      return client;
    }),
  );
  await eventually(() => clients.every(({ socket }) => socket.writableLength === 0));
  expect(heldByBuffers() - before).toBeLessThan(8 * 64 * KIB);
  for (const { socket } of clients) socket.destroy();
});

test('a query of thousands of parameters › 400 before it is parsed', async () => {
  const parse = jest.spyOn(URLSearchParams.prototype, 'getAll');
  const { body } = await api
    .as(token)
    .get(`/api/company?${'a=&'.repeat(2_500)}`)
    .expect(400);
  expect(body).toMatchObject({ errors: [{ path: 'query', message: 'must have at most 100 parameters' }] });
  expect(parse).not.toHaveBeenCalledWith('a');
});

test('a connection too many › closes one of the network that has most, and no other', async () => {
  const own = await RawConnection.open(api.url, '127.0.0.2');
  const busy = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const client = await RawConnection.open(api.url);
      await client.send(get(longPoll));
      return client;
    }),
  );
  await eventually(() => busy.some(({ socket }) => socket.closed));
  await own.send(get('/api/company'));
  expect(await own.until(/\}/)).toMatch(/^HTTP\/1.1 200 /);
  for (const { socket } of [own, ...busy]) socket.destroy();
});

test('connections of many networks without a valid key › count together: none of a client with one is closed', async () => {
  const own = await RawConnection.open(api.url, '127.0.0.2');
  await own.send(get('/api/company'));
  await own.until(/\}/);
  const second = await RawConnection.open(api.url, '127.0.0.2');
  const strangers = await Promise.all(
    Array.from({ length: 30 }, (_, index) => RawConnection.open(api.url, `127.0.1.${index + 1}`)),
  );
  // More while connections of earlier tests are still open.
  await eventually(() => strangers.filter(({ socket }) => socket.closed).length >= 12);
  for (const client of [own, second]) {
    await client.send(get('/api/categories'));
    expect(await client.until(/"total"/)).toMatch(/HTTP\/1.1 200 /);
  }
  for (const { socket } of [own, second, ...strangers]) socket.destroy();
});

test('connections of many networks without a valid key › close idle ones of each other: none whose request is in progress', async () => {
  const reader = await RawConnection.open(api.url, '127.0.0.2');
  const headers = { 'x-callback-token': 'right', 'Content-Length': 2, Connection: 'close' };
  await reader.send(`${head('POST', '/webhooks/gateway/xendit', '', headers)}{`);
  const strangers = await Promise.all(
    Array.from({ length: 30 }, (_, index) => RawConnection.open(api.url, `127.0.1.${index + 1}`)),
  );
  await eventually(() => strangers.filter(({ socket }) => socket.closed).length >= 10);
  await reader.send('}');
  expect(await reader.untilClosed()).toMatch(/^HTTP\/1.1 200 /);
  for (const { socket } of strangers) socket.destroy();
});

test('a connection too many while all of its network are busy › is served; the oldest one is closed', async () => {
  const busy: RawConnection[] = [];
  for (let count = 0; count < 20; count++) {
    const client = await RawConnection.open(api.url);
    await client.send(get('/healthz') + get(longPoll));
    await client.until(/alive/);
    busy.push(client);
  }
  const newest = await RawConnection.open(api.url);
  await newest.send(head('GET', '/api/company', token, { Connection: 'close' }));
  expect(await newest.untilClosed()).toMatch(/^HTTP\/1.1 200 /);
  expect(busy.map(({ socket }) => socket.closed)).toEqual(busy.map((client) => client === busy[0]));
  for (const { socket } of [newest, ...busy]) socket.destroy();
});
