import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { createClient, createCompany, createInvoice } from '../../support/factories';
import { createLargeInvoices } from '../../support/largeInvoices';
import { startApi, type TestApi } from '../../support/server';

let api: TestApi;
let token: string;
let path: string;
let clientId: number;

/** JSON of more than 1 KiB. */
const items = Array.from({ length: 10 }, () => ({ description: 'Consulting', quantity: 2, unitPrice: '100.00' }));

beforeAll(async () => {
  api = await startApi({ env: { MAX_RATE_MB: '1000' } });
  const company = await createCompany(api.services);
  ({ token } = company);
  clientId = (await createClient(api.services, company.companyId)).id;
  path = `/api/invoices/${(await createInvoice(api.services, company.companyId, { clientId, items })).id}`;
});

interface Response {
  status: number;
  headers: NodeJS.Dict<string | string[]>;
  bytes: Buffer;
}

/** Exactly these headers; the bytes as they are on the wire. */
function send(
  method: string,
  to: string,
  headers: Record<string, string> = {},
  { body, as = token }: { body?: object; as?: string } = {},
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const sent = request(new URL(to, api.url), {
      method,
      headers: { Authorization: `Bearer ${as}`, ...(body && { 'Content-Type': 'application/json' }), ...headers },
    });
    sent.on('error', reject);
    sent.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('error', reject).on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes: Buffer.concat(chunks) }),
      );
    });
    sent.end(body && JSON.stringify(body));
  });
}

const gzip = { 'Accept-Encoding': 'gzip' };
const tagOf = ({ headers }: Response): string => String(headers['etag']);

describe('JSON of more than 1 KiB', () => {
  test.each(['gzip', 'gzip, deflate, br, zstd', 'br;q=1.0, gzip;q=0.8, *;q=0.1', '*'])(
    'for a client that accepts %s › is gzip of the same bytes',
    async (accepted) => {
      const plain = await send('GET', path);
      const zipped = await send('GET', path, { 'Accept-Encoding': accepted });
      expect(zipped.headers).toMatchObject({
        'content-encoding': 'gzip',
        'content-type': 'application/json; charset=utf-8',
        'content-length': String(zipped.bytes.length),
      });
      expect(zipped.bytes.length).toBeLessThan(plain.bytes.length / 2);
      expect(gunzipSync(zipped.bytes).equals(plain.bytes)).toBe(true);
    },
  );

  test.each(['', 'identity', 'br', 'gzip;q=0', 'identity, gzip;q=0.5'])(
    'for a client that accepts "%s" › is plain',
    async (accepted) => {
      const response = await send('GET', path, { 'Accept-Encoding': accepted });
      expect(response.headers).not.toHaveProperty('content-encoding');
      expect(JSON.parse(response.bytes.toString())).toMatchObject({ subtotal: '2000.00' });
    },
  );

  test('for a client that does not say what it accepts › is plain', async () => {
    expect((await send('GET', path)).headers).not.toHaveProperty('content-encoding');
  });

  test('either way › says that it depends on Accept-Encoding', async () => {
    for (const accepted of ['gzip', 'identity'])
      expect((await send('GET', path, { 'Accept-Encoding': accepted })).headers['vary']).toBe('Accept-Encoding');
  });

  test('of a POST and of a replay under its Idempotency-Key › is gzip as well', async () => {
    const body = { clientId, issueDate: '2026-01-15', dueDate: '2026-02-14', items };
    const headers = { ...gzip, 'Idempotency-Key': 'zipped' };
    const [first, again] = [
      await send('POST', '/api/invoices', headers, { body }),
      await send('POST', '/api/invoices', headers, { body }),
    ];
    expect([first.status, again.status, again.headers['idempotent-replayed']]).toEqual([201, 201, 'true']);
    expect([first, again].map((response) => response.headers['content-encoding'])).toEqual(['gzip', 'gzip']);
    expect(again.bytes.equals(first.bytes)).toBe(true);
    const plain = await send('POST', '/api/invoices', { 'Idempotency-Key': 'zipped' }, { body });
    expect(plain.bytes.equals(gunzipSync(first.bytes))).toBe(true);
  });

  test('of HEAD › has the headers of GET but the length', async () => {
    const [head, get] = [await send('HEAD', path, gzip), await send('GET', path, gzip)];
    for (const name of ['etag', 'vary', 'content-encoding', 'content-type'])
      expect(head.headers[name]).toBe(get.headers[name]);
    expect([head.status, head.bytes.length]).toEqual([200, 0]);
    expect(head.headers).not.toHaveProperty('content-length');
  });
});

test('JSON of up to 1 KiB › is plain for everyone', async () => {
  const { headers } = await send('GET', '/api/company', gzip);
  expect(headers).not.toHaveProperty('content-encoding');
  expect(headers).not.toHaveProperty('vary');
});

test('a response that shows a secret › is plain for everyone: its length reveals nothing', async () => {
  const body = { name: '🔑'.repeat(255) };
  const { status, bytes, headers } = await send('POST', '/api/api-keys', gzip, { body });
  expect([status, bytes.length > 1024]).toEqual([201, true]);
  expect(headers).not.toHaveProperty('content-encoding');
  expect(JSON.parse(bytes.toString())).toHaveProperty('token');
});

test('the OpenAPI document › is gzip of the same bytes', async () => {
  const [plain, zipped] = [await send('GET', '/openapi.json'), await send('GET', '/openapi.json', gzip)];
  expect(plain.headers).not.toHaveProperty('content-encoding');
  expect(zipped.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
  expect(gunzipSync(zipped.bytes).equals(plain.bytes)).toBe(true);
});

describe('the entity tag of a compressed response', () => {
  test('is strong, and another than that of the plain one', async () => {
    const [plain, zipped] = [tagOf(await send('GET', path)), tagOf(await send('GET', path, gzip))];
    expect(plain).toMatch(/^"[0-9a-z-]+"$/);
    expect(zipped).toBe(plain.replace(/"$/, '+gzip"'));
  });

  test('is not modified for the same coding alone: the other coding has other bytes', async () => {
    const [plain, zipped] = [tagOf(await send('GET', path)), tagOf(await send('GET', path, gzip))];
    const same = await send('GET', path, { ...gzip, 'If-None-Match': zipped });
    expect([same.status, same.bytes.length, tagOf(same), same.headers['vary']]).toEqual([
      ...[304, 0, zipped, 'Accept-Encoding'],
    ]);
    expect(same.headers).not.toHaveProperty('content-encoding');
    expect((await send('GET', path, { 'If-None-Match': plain })).status).toBe(304);
    expect((await send('GET', path, { ...gzip, 'If-None-Match': plain })).status).toBe(200);
    expect((await send('GET', path, { 'If-None-Match': zipped })).status).toBe(200);
    expect((await send('GET', path, { ...gzip, 'If-None-Match': `${plain}, ${zipped}` })).status).toBe(304);
  });

  test.each(['gzip', 'identity'])('names the version for If-Match of a change that accepts %s', async (accepted) => {
    const put = async (tag: string): Promise<Response> =>
      send('PUT', path, { 'Accept-Encoding': accepted, 'If-Match': tag }, { body: { notes: 'Changed' } });
    const old = tagOf(await send('GET', path, gzip));
    const changed = await put(old);
    expect(changed.status).toBe(200);
    expect((await put(old)).status).toBe(412);
    expect((await put(`"other+gzip", ${tagOf(changed)}`)).status).toBe(200);
  });
});

test('a list that is sent record by record › is gzip of the same bytes', async () => {
  const large = await createLargeInvoices(api.services, 5);
  const list = '/api/invoices?limit=100';
  const [plain, zipped] = [
    await send('GET', list, {}, { as: large.token }),
    await send('GET', list, gzip, { as: large.token }),
  ];
  expect(plain.bytes.length).toBeGreaterThan(3_000_000);
  expect(zipped.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept, Accept-Encoding' });
  expect(zipped.bytes.length).toBeLessThan(plain.bytes.length / 5);
  expect(gunzipSync(zipped.bytes).equals(plain.bytes)).toBe(true);
});

test('a list of which a record cannot be read › breaks off, and its gzip has no end', async () => {
  const large = await createLargeInvoices(api.services, 5);
  const { sql } = api.services;
  const rows = sql.rows.bind(sql);
  let reads = 0;
  jest.spyOn(sql, 'rows').mockImplementation(async (text, values) => {
    if (text.includes('i.id = ?') && ++reads === 4) throw new Error('the connection is lost');
    return rows(text, values);
  });
  await expect(send('GET', '/api/invoices?limit=100', gzip, { as: large.token })).rejects.toThrow('aborted');
  expect(reads).toBe(4);
});
