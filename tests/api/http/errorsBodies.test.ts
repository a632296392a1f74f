import { request, type OutgoingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { Arrivals } from '../../../api/http/connections/Arrivals';
import { createClient, createCompany, createInvoice, invoiceInput } from '../../support/factories';
import { startApi, type TestApi } from '../../support/server';

let api: TestApi;
let token: string;
let companyId: number;
let valid: string;

beforeAll(async () => {
  api = await startApi();
  ({ companyId, token } = await createCompany(api.services));
  valid = JSON.stringify(invoiceInput((await createClient(api.services, companyId)).id));
});

interface Received {
  status: number;
  body: Record<string, unknown>;
}

/** Exactly these headers and bytes. */
function send(method: string, path: string, headers: OutgoingHttpHeaders, body?: string | Buffer): Promise<Received> {
  return new Promise((resolve, reject) => {
    const sent = request(new URL(path, api.url), { method, headers: { Authorization: `Bearer ${token}`, ...headers } });
    sent.on('error', reject);
    sent.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        resolve({ status: response.statusCode ?? 0, body: JSON.parse(text || '{}') as Record<string, unknown> });
      });
    });
    sent.end(body);
  });
}

const post = (headers: OutgoingHttpHeaders, body?: string | Buffer): Promise<Received> =>
  send('POST', '/api/invoices', headers, body);
const json = { 'Content-Type': 'application/json' };

describe('content types', () => {
  test.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
    'application/json; charset=us-ascii',
    'APPLICATION/JSON',
    'application/vnd.api+json',
    'application/merge-patch+json',
  ])('%s › is JSON', async (type) => {
    expect((await post({ 'Content-Type': type }, valid)).status).toBe(201);
  });

  test.each([
    'text/plain',
    'text/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
    'nonsense',
    'application/jsonx',
    'application/json; charset=iso-8859-1',
    'application/json; charset="UTF-16LE"',
    'application/vnd.api+json; charset=windows-1252',
  ])('%s › 415', async (type) => {
    expect(await post({ 'Content-Type': type }, valid)).toMatchObject({ status: 415 });
  });

  test('a body without a type › 415', async () => {
    expect(await post({ 'Content-Length': Buffer.byteLength(valid) }, valid)).toMatchObject({ status: 415 });
  });

  test('no body › needs no type, and any is ignored', async () => {
    const { id } = await createInvoice(api.services, companyId);
    const path = `/api/invoices/${id}/send-email`;
    const prefer = { Prefer: 'respond-async' };
    expect((await send('POST', path, prefer)).status).toBe(202);
    expect((await send('POST', path, { ...prefer, 'Content-Type': 'text/plain', 'Content-Length': 0 })).status).toBe(
      202,
    );
    expect((await send('POST', path, { ...prefer, ...json })).status).toBe(202);
    expect((await send('POST', path, { ...prefer, 'Transfer-Encoding': 'chunked' })).status).toBe(202);
    expect((await send('POST', path, { ...prefer, 'Transfer-Encoding': 'chunked' }, 'x')).status).toBe(415);
  });

  test('no body where fields are required › 400 naming them', async () => {
    const { status, body } = await post({});
    expect([status, (body['errors'] as { path: string }[]).map(({ path }) => path)]).toEqual([
      400,
      ['clientId', 'issueDate', 'dueDate', 'items'],
    ]);
  });

  test('a body of GET or DELETE › means nothing', async () => {
    const { id } = await createInvoice(api.services, companyId);
    const headers = { 'Content-Type': 'text/plain', 'Content-Length': 1 };
    expect((await send('GET', `/api/invoices/${id}`, headers, 'x')).status).toBe(200);
    expect((await send('DELETE', `/api/invoices/${id}`, headers, 'x')).status).toBe(200);
  });
});

describe('malformed bodies', () => {
  test.each([
    ['a byte of Latin-1', [0xe9]],
    ['a character that is cut off', [0xe2, 0x82]],
    ['half of a surrogate pair', [0xed, 0xa0, 0x80]],
    ['an overlong form', [0xc0, 0xaf]],
  ])('%s › 400 malformed_body, and nothing is stored', async (_, bytes) => {
    const [before = '', after = ''] = JSON.stringify({ name: 'Caf|' }).split('|');
    const body = Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]);
    const inflated = { ...json, 'Content-Encoding': 'gzip' };
    for (const refused of [
      send('POST', '/api/clients', json, body),
      send('POST', '/api/clients', inflated, gzipSync(body)),
    ]) {
      expect(await refused).toMatchObject({ status: 400, body: { code: 'malformed_body' } });
    }
    expect((await send('GET', '/api/clients?search=Caf', {})).body).toMatchObject({ total: 0 });
  });

  test('U+FFFD itself, and a byte order mark › are fine', async () => {
    const { status, body } = await send('POST', '/api/clients', json, '\ufeff{"name":"\ufffd"}');
    expect([status, body['name']]).toEqual([201, '\ufffd']);
  });

  test.each([
    '{',
    '{"a":}',
    "{'a':1}",
    '{"a":1,}',
    'null',
    '1',
    '"x"',
    'true',
    ' ',
    'undefined',
    '{}{}',
    '{"__proto__":{}}',
  ])('%s › 400 malformed_json', async (body) => {
    expect(await post(json, body)).toMatchObject({ status: 400, body: { code: 'malformed_json' } });
  });

  test('an array › 400', async () => {
    expect(await post(json, `[${valid}]`)).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
  });

  test('JSON nested a hundred thousand deep › 400', async () => {
    const deep = `{"client":${'['.repeat(100_000)}${']'.repeat(100_000)},"foo":1}`;
    expect((await post(json, deep)).status).toBe(400);
  });

  test('nested ten thousand deep in an ignored field, under an idempotency key › 400', async () => {
    const deep = `${valid.slice(0, -1)},"client":${'['.repeat(10_000)}${']'.repeat(10_000)}}`;
    const response = await post({ ...json, 'Idempotency-Key': 'deep' }, deep);
    expect(response).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
    expect(response.body['detail']).toBe('client must not be nested deeper than 32 levels');
  });

  test.each([
    [20_000, { path: 'items', message: 'must have at most 1000 elements' }],
    [349_000, { path: 'body', message: 'must have at most 50000 values' }],
  ])('%i items › 400 with one problem', async (count, problem) => {
    const response = await post(json, `{"items":[${Array(count).fill('{}').join(',')}]}`);
    expect(response).toMatchObject({ status: 400, body: { errors: [problem] } });
    expect(JSON.stringify(response.body).length).toBeLessThan(1_000);
  });

  test('more fields than any body has › 400', async () => {
    const names = Array.from({ length: 20_001 }, (_, n) => `"${n}":0`);
    const response = await post(json, `{"client":{${names.join(',')}}}`);
    const problem = { path: 'body', message: 'must have at most 20000 fields' };
    expect(response).toMatchObject({ status: 400, body: { errors: [problem] } });
  });

  test('what separates values, inside of strings › is not counted', async () => {
    const commas = `${'[{\\":,'.repeat(15_000)}`;
    const response = await post(json, JSON.stringify({ ...(JSON.parse(valid) as object), client: commas }));
    expect(response.status).toBe(201);
  });

  test('a thousand items that are all wrong › 400 with the first 20 problems', async () => {
    const { status, body } = await post(json, JSON.stringify({ items: Array(1_000).fill({}) }));
    expect([status, (body['errors'] as unknown[]).length]).toEqual([400, 20]);
  });
});

describe('sizes', () => {
  const padded = (bytes: number): Buffer => Buffer.from(valid.padEnd(bytes, ' '));
  const mebibyte = 1024 * 1024;

  test('1 MiB › is accepted, one byte more › 413', async () => {
    expect((await post(json, padded(mebibyte))).status).toBe(201);
    expect(await post(json, padded(mebibyte + 1))).toMatchObject({ status: 413, body: { code: 'body_too_large' } });
  });

  test('chunked, without a length › 413 too', async () => {
    const headers = { ...json, 'Transfer-Encoding': 'chunked' };
    expect((await post(headers, padded(mebibyte + 1))).status).toBe(413);
  });

  test('20 MiB › 413 that the client can read', async () => {
    expect((await post(json, padded(20 * mebibyte))).status).toBe(413);
  });

  test('compressed › is read; larger than 1 MiB when inflated › 413', async () => {
    const gzip = { ...json, 'Content-Encoding': 'gzip' };
    expect((await post(gzip, gzipSync(valid))).status).toBe(201);
    expect((await post(gzip, gzipSync(padded(20 * mebibyte)))).status).toBe(413);
  });

  test('not compressed as it says › 400; in an unknown way › 415', async () => {
    expect((await post({ ...json, 'Content-Encoding': 'gzip' }, valid)).status).toBe(400);
    for (const encoding of ['zstd9', 'constructor']) {
      expect((await post({ ...json, 'Content-Encoding': encoding }, valid)).status).toBe(415);
    }
  });
});

describe('what is no request', () => {
  const headers = (): string => `Host: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n`;

  /** Sends bytes, ends its own side, and returns all that comes back. */
  function speak(bytes: string): Promise<string> {
    return new Promise((resolve, reject) => {
      let heard = '';
      const socket = connect(Number(new URL(api.url).port), '127.0.0.1', () => socket.end(bytes));
      socket.on('data', (chunk: Buffer) => (heard += chunk.toString()));
      socket.on('close', () => resolve(heard));
      socket.on('error', reject);
    });
  }

  test.each([
    ['is not HTTP', () => 'what is this\r\n\r\n', 400],
    ['is meant for a proxy', () => 'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n', 400],
    ['is meant for a proxy, with a path', () => 'CONNECT /x HTTP/1.1\r\nHost: x\r\n\r\n', 400],
    ['ends before its body does', () => `POST /api/invoices HTTP/1.1\r\n${headers()}Content-Length: 50\r\n\r\n{`, 400],
    [
      'has more than 100 headers, and one of a body after these',
      () => `GET /healthz HTTP/1.1\r\n${headers()}${'a:\r\n'.repeat(900)}Content-Length: 50\r\n\r\n{`,
      431,
    ],
    ['has very large headers', () => `GET / HTTP/1.1\r\n${headers()}X-Long: ${'x'.repeat(40_000)}\r\n\r\n`, 431],
    [
      'has very large headers, and waits for others',
      () => {
        const begin = jest.spyOn(Arrivals.prototype, 'begin');
        begin.mockImplementationOnce((_, respond) => void setTimeout(respond, 20));
        return `GET / HTTP/1.1\r\n${headers()}X-Long: ${'x'.repeat(100_000)}\r\n\r\n`;
      },
      431,
    ],
  ])('%s › has the one shape, and the connection ends', async (_what, bytesOf, status) => {
    const [head = '', body = ''] = (await speak(bytesOf())).split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(head).toMatch(/content-type: application\/problem\+json/i);
    expect(head).toMatch(/connection: close/i);
    const problem = JSON.parse(body) as { requestId: string };
    expect(problem).toMatchObject({ status, code: expect.any(String) as string });
    expect(head).toContain(problem.requestId);
  });
});
