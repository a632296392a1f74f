import { createClient, createCompany, invoiceInput } from '../../support/factories';
import { head, RawConnection } from '../../support/rawHttp';
import { startApi, type TestApi } from '../../support/server';

let api: TestApi;
let token: string;
let body: string;
let connection: RawConnection;

beforeAll(async () => {
  api = await startApi();
  const company = await createCompany(api.services);
  token = company.token;
  body = JSON.stringify(invoiceInput((await createClient(api.services, company.companyId)).id));
});
beforeEach(async () => {
  connection = await RawConnection.open(api.url);
});
afterEach(() => connection.socket.destroy());

const expecting = (headers: Record<string, string | number>, path = '/api/invoices', bearer = token): Promise<void> =>
  connection.send(head('POST', path, bearer, { Expect: '100-continue', 'Content-Length': 0, ...headers }));

describe('Expect: 100-continue', () => {
  test('a request that will be read › 100, and then the response', async () => {
    await expecting({ 'Content-Length': Buffer.byteLength(body) });
    expect(await connection.until(/\r\n\r\n/)).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    await connection.send(body);
    expect(await connection.until(/201/)).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 201 Created\r\n/);
  });

  test('an upload › 100 as well', async () => {
    await expecting({ 'Content-Type': 'multipart/form-data; boundary=x', 'Content-Length': 5 }, '/api/receipts');
    await connection.until(/^HTTP\/1.1 100 Continue\r\n\r\n/);
    await connection.send('--x--');
    expect(await connection.until(/ 400 /)).toContain('HTTP/1.1 400 ');
  });

  test.each<[string, number, Record<string, string | number>, string?, string?]>([
    ['too large', 413, { 'Content-Length': 2 ** 20 + 1 }],
    ['an upload that is too large', 413, { 'Content-Type': 'multipart/form-data; boundary=x', 'Content-Length': 2 ** 24 }, '/api/receipts'], // prettier-ignore
    ['of another type', 415, { 'Content-Type': 'text/plain', 'Content-Length': 10 }],
    ['compressed in an unknown way', 415, { 'Content-Encoding': 'zstd9', 'Content-Length': 10 }],
    ['of an unknown route', 404, { 'Content-Length': 10 }, '/api/nowhere'],
    ['without a key', 401, { 'Content-Length': 10 }, '/api/invoices', 'inv_wrong'],
  ])('a body that is refused anyway: %s › %i without a 100, and the connection ends', async (_, status, ...request) => {
    await expecting(...request);
    const response = await connection.untilClosed();
    expect(response).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(response).toMatch(/\r\nContent-Type: application\/problem\+json/i);
    expect(response).toMatch(/\r\nConnection: close\r\n/i);
  });
});

test('any other expectation › 417 in the one shape', async () => {
  await expecting({ Expect: 'a-miracle', 'Content-Length': 2 });
  const response = await connection.untilClosed();
  expect(response).toMatch(/^HTTP\/1.1 417 Expectation Failed\r\n/);
  expect(response).toMatch(/\r\nContent-Type: application\/problem\+json; charset=utf-8\r\n/i);
  const problem = JSON.parse(response.split('\r\n\r\n')[1] ?? '') as { requestId: string };
  expect(problem).toMatchObject({ status: 417, code: 'expectation_failed', title: 'Expectation Failed' });
  expect(response).toContain(`X-Request-Id: ${problem.requestId}`);
});
