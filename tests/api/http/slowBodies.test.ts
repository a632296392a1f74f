import { randomUUID } from 'node:crypto';
import { brotliCompressSync, deflateRawSync, gzipSync } from 'node:zlib';
import { MinimumRate } from '../../../api/http/limits/MinimumRate';
import { createCategory, createClient, createCompany, expenseInput, invoiceInput } from '../../support/factories';
import { eventually } from '../../support/eventually';
import { png } from '../../support/images';
import { heldByBuffers } from '../../support/memory';
import { head, RawConnection } from '../../support/rawHttp';
import { startApi, type TestApi } from '../../support/server';

const MIB = 1024 * 1024;
let api: TestApi;
let token: string;
let companyId: number;
let clientId: number;
const open: RawConnection[] = [];
let watch: jest.SpyInstance;

beforeAll(async () => {
  api = await startApi({ env: { MAX_UNFINISHED_BODIES_MB: '2', MAX_UPLOADS_MB: '32', MAX_RATE_MB: '1000' } });
  ({ token, companyId } = await createCompany(api.services));
  clientId = (await createClient(api.services, companyId)).id;
});
beforeEach(() => (watch = jest.spyOn(MinimumRate.prototype, 'watch')));
afterEach(() => {
  for (const { socket } of open.splice(0)) socket.destroy();
});

/** Nobody is too slow in this test, however slow the machine is. */
const patient = () => watch.mockReturnValue(() => undefined);

/** Lets the machine's clock jump beyond the time that a body may stall, once so many bodies are awaited. */
async function moveOn(watched: number): Promise<void> {
  await eventually(() => watch.mock.calls.length === watched);
  const { now } = Date;
  jest.spyOn(Date, 'now').mockImplementation(() => now() + 10_000);
}

/** Begins a POST and sends only so much of its body. */
async function beginBody(sent: number, { declared = MIB, bearer = token } = {}): Promise<RawConnection> {
  const connection = await RawConnection.open(api.url);
  open.push(connection);
  await connection.send(head('POST', '/api/invoices', bearer, { 'Content-Length': declared }));
  await connection.send(Buffer.alloc(sent, ' '));
  return connection;
}
const post = (bearer = token, client = clientId) => api.as(bearer).post('/api/invoices').send(invoiceInput(client));

describe('many connections that send most of a body and wait', () => {
  beforeEach(patient);

  test('hold no more than their part of the budget: the oldest get 503, and every small request is accepted', async () => {
    const slow: RawConnection[] = [];
    for (let n = 0; n < 60; n++) {
      slow.push(await beginBody(MIB - 90));
      if (n % 10 === 0) await post().expect(201);
    }
    await post().expect(201);
    // One company may hold 1 MiB here.
    const refused = (): RawConnection[] => slow.filter(({ received }) => received !== '');
    await eventually(() => refused().length >= slow.length - 1);
    for (const { received } of refused()) {
      expect(received).toMatch(/^HTTP\/1.1 503 /);
      expect(received).toMatch(/\r\nRetry-After: \d+\r\n/i);
      expect(received).toMatch(/\r\nConnection: close\r\n/i);
      expect(received).toContain('"code":"overloaded"');
    }
  });

  test('of one company › do not cut the body of another one', async () => {
    const other = await createCompany(api.services);
    const otherClient = await createClient(api.services, other.companyId);
    const body = JSON.stringify(invoiceInput(otherClient.id));
    const theirs = await beginBody(0, { bearer: other.token, declared: Buffer.byteLength(body) });
    await theirs.send(body.slice(0, 50));
    await Promise.all(Array.from({ length: 20 }, () => beginBody(MIB - 90)));
    await post().expect(201);
    await theirs.send(body.slice(50));
    expect(await theirs.until(/\r\n\r\n/)).toMatch(/^HTTP\/1.1 201 /);
  });

  test('what they declare and do not send › takes no room', async () => {
    await Promise.all(Array.from({ length: 30 }, () => beginBody(10)));
    await api
      .as(token)
      .post('/api/invoices')
      .send({ ...invoiceInput(clientId), notes: 'x'.repeat(9_000) })
      .expect(201);
    for (const { received } of open) expect(received).toBe('');
  });
});

describe('a body that does not go on', () => {
  /** Milliseconds. After 30 seconds Node.js itself would end the request. */
  const soon = 25_000;

  test(
    'is 408, and the connection ends',
    async () => {
      const stalled = await beginBody(1_000);
      await moveOn(1);
      const response = await stalled.untilClosed();
      expect(response).toMatch(/^HTTP\/1.1 408 /);
      expect(response).toMatch(/\r\nContent-Type: application\/problem\+json/i);
      expect(response).toContain('"code":"request_timeout"');
    },
    soon,
  );

  test(
    'of an upload › is 408 too, and its disk is free again',
    async () => {
      const uploads = await Promise.all(
        [1, 2].map(async () => {
          const connection = await RawConnection.open(api.url);
          open.push(connection);
          const headers = { 'Content-Type': 'multipart/form-data; boundary=x', 'Content-Length': 7 * MIB };
          await connection.send(head('POST', '/api/receipts', token, headers));
          await connection.send('--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nbytes');
          return connection;
        }),
      );
      await moveOn(2);
      for (const upload of uploads) expect(await upload.untilClosed()).toMatch(/^HTTP\/1.1 408 /);
      await api.as(token).post('/api/receipts').attach('file', png(), 'a').expect(201);
    },
    soon,
  );
});

describe('uploads in progress', () => {
  beforeEach(patient);

  const begin = async (declared = 10 * MIB): Promise<RawConnection> => {
    const connection = await RawConnection.open(api.url);
    open.push(connection);
    const headers = { 'Content-Type': 'multipart/form-data; boundary=x', 'Content-Length': declared };
    await connection.send(head('POST', '/api/receipts', token, headers));
    await connection.send('--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nbytes');
    return connection;
  };

  test('many small ones › count as 1 MiB each', async () => {
    const small: RawConnection[] = [];
    // Half of 32 MiB.
    for (let n = 0; n < 17; n++) small.push(await begin(1_000));
    expect(await small[0]?.untilClosed()).toMatch(/^HTTP\/1.1 503 [^]*"code":"overloaded"/);
    expect(small.slice(1).every(({ received }) => received === '')).toBe(true);
  });

  test('more than the disk that they may take › the oldest get 503, and a small one is stored', async () => {
    const [first, second] = [await begin(), await begin()];
    expect(await first.untilClosed()).toMatch(/^HTTP\/1.1 503 [^]*"code":"overloaded"/);
    await api.as(token).post('/api/receipts').attach('file', png(3, 3), 'a').expect(201);
    expect(second.received).toBe('');
  });
});

describe('a client that leaves while its body is read', () => {
  test.each<[string, string, Record<string, string | number>, string]>([
    ['before its first byte', '/api/invoices', { 'Content-Length': 500 }, ''],
    ['in the middle', '/api/invoices', { 'Content-Length': 500 }, '{"notes":'],
    ['of another type, chunked', '/api/invoices', { 'Content-Type': 'text/plain', 'Transfer-Encoding': 'chunked' }, ''],
    [
      'of an upload',
      '/api/receipts',
      { 'Content-Type': 'multipart/form-data; boundary=x', 'Content-Length': 500 },
      '--x',
    ],
  ])('%s › is no error of ours', async (_, path, headers, sent) => {
    const [logged, warned] = [jest.spyOn(api.services.log, 'error'), jest.spyOn(api.services.log, 'warn')];
    const debugged = jest.spyOn(api.services.log, 'debug');
    const requestId = `leaver-${randomUUID()}`;
    const leaver = await RawConnection.open(api.url);
    await leaver.send(head('POST', path, token, { ...headers, 'X-Request-Id': requestId }));
    await leaver.send(sent);
    await post().expect(201);
    leaver.socket.resetAndDestroy();
    const told = (): unknown[] =>
      debugged.mock.calls.filter(([about]) => (about as { requestId?: string }).requestId === requestId);
    await eventually(() => told().length > 0);
    expect(told()).toEqual([[expect.anything(), 'request_aborted']]);
    expect([logged.mock.calls, warned.mock.calls]).toEqual([[], []]);
  });
});

describe('bodies in pieces', () => {
  test('one byte at a time, chunked › is read whole', async () => {
    const category = await createCategory(api.services, companyId);
    const connection = await RawConnection.open(api.url);
    open.push(connection);
    await connection.send(head('POST', '/api/expenses', token, { 'Transfer-Encoding': 'chunked' }));
    const bytes = Buffer.from(JSON.stringify(expenseInput(category.id, { vendor: 'Café ☕ 日本' })));
    for (const byte of bytes) {
      await connection.send(Buffer.concat([Buffer.from('1\r\n'), Buffer.from([byte]), Buffer.from('\r\n')]));
    }
    await connection.send('0\r\n\r\n');
    expect(await connection.until(/"vendor"[^]*\}/)).toMatch(/^HTTP\/1.1 201 [^]*Café ☕ 日本/);
  });

  test('with a byte order mark › is JSON', async () => {
    const body = `\uFEFF${JSON.stringify(invoiceInput(clientId))}`;
    await api.as(token).post('/api/invoices').type('json').send(body).expect(201);
  });
});

describe('compressed bodies that inflate to gigabytes', () => {
  const bomb = Buffer.alloc(64 * MIB, ' ');

  test('413, and inflating stops at the limit', async () => {
    const body = gzipSync(bomb);
    const before = heldByBuffers();
    const responses = await Promise.all(
      Array.from({ length: 8 }, () =>
        api
          .as(token)
          .post('/api/invoices')
          .set({ 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' })
          .serialize((text: unknown) => text as string)
          .send(body as unknown as string),
      ),
    );
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([413]));
    expect(heldByBuffers() - before).toBeLessThan(128 * MIB);
  });

  test('a body compressed with brotli, which decodes few bytes in seconds › 415', async () => {
    const headers = { 'Content-Type': 'application/json', 'Content-Encoding': 'br' };
    const body = brotliCompressSync('{}') as unknown as string;
    const response = await api
      .as(token)
      .post('/api/invoices')
      .set(headers)
      .serialize((text: unknown) => text as string)
      .send(body);
    expect(response).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } });
  });

  test('a compressed body that is cut off › 400', async () => {
    for (const [encoding, body] of [
      ['gzip', gzipSync('{}').subarray(0, 15)],
      ['deflate', deflateRawSync('{"a":1}')],
    ] as const) {
      const connection = await RawConnection.open(api.url);
      open.push(connection);
      const headers = { 'Content-Encoding': encoding, 'Content-Length': body.length };
      await connection.send(head('POST', '/api/invoices', token, headers));
      await connection.send(body);
      expect(await connection.until(/\}/)).toMatch(/^HTTP\/1.1 400 [^]*"code":"malformed_body"/);
    }
  });
});
