import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ApiError, InvoicingClient } from '../../clients/typescript/src';

/** The requests that the server has received, and its responses to the next ones; afterwards it responds with 200. */
let received: IncomingMessage[] = [];
let responses: ((response: ServerResponse) => void)[] = [];
let client: InvoicingClient;

const server = createServer((request, response) => {
  received.push(request);
  const respond = responses.shift();
  if (respond) respond(response);
  else response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"id":1}');
});
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  client = new InvoicingClient({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, apiKey: 'k' });
});
afterAll(async () => {
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
});
beforeEach(() => {
  [received, responses] = [[], []];
});

const refusal =
  (status: number, retryAfter?: string) =>
  (response: ServerResponse): void => {
    const headers = { 'Content-Type': 'application/problem+json', ...(retryAfter && { 'Retry-After': retryAfter }) };
    response.writeHead(status, headers).end(JSON.stringify({ code: 'too_many_requests', detail: 'later' }));
  };
const keys = (): unknown[] => received.map(({ headers }) => headers['idempotency-key']);
const create = (call: { idempotencyKey?: string; signal?: AbortSignal } = {}): Promise<unknown> =>
  client.createClient({ body: { name: 'Awan' }, ...call });

describe('429 and 503', () => {
  test('are retried after Retry-After, under one idempotency key; the next POST has another', async () => {
    responses = [refusal(429, '1'), refusal(503, '0'), refusal(503, new Date(Date.now() - 1_000).toUTCString())];
    const start = Date.now();
    expect(await create()).toEqual({ id: 1 });
    expect(Date.now() - start).toBeGreaterThanOrEqual(990);
    expect(received).toHaveLength(4);
    expect(new Set(keys())).toEqual(new Set([expect.stringMatching(/^[\da-f-]{36}$/)]));
    await create();
    expect(new Set(keys()).size).toBe(2);
  });

  test('without Retry-After › are retried a little later', async () => {
    responses = [refusal(503)];
    const start = Date.now();
    await create({ idempotencyKey: 'order-17' });
    expect(Date.now() - start).toBeGreaterThanOrEqual(240);
    expect(keys()).toEqual(['order-17', 'order-17']);
  });

  test('five times › are thrown, and so is one that asks for more than a minute', async () => {
    responses = Array.from({ length: 9 }, () => refusal(429, '0'));
    await expect(create()).rejects.toMatchObject({ status: 429, code: 'too_many_requests' });
    expect(received).toHaveLength(5);
    responses = [refusal(429, '61')];
    await expect(create()).rejects.toBeInstanceOf(ApiError);
    expect(received).toHaveLength(6);
  });

  test('aborted while waiting › ends immediately with the reason', async () => {
    responses = [refusal(503, '60')];
    const controller = new AbortController();
    const call = create({ signal: controller.signal });
    while (received.length === 0) await new Promise(setImmediate);
    setTimeout(() => controller.abort(new Error('enough')), 50);
    await expect(call).rejects.toThrow('enough');
    expect(received).toHaveLength(1);
  });
});

describe('anything else', () => {
  test.each([400, 409, 500, 502])('%d › is thrown immediately', async (status) => {
    responses = [refusal(status, '0')];
    await expect(create()).rejects.toMatchObject({ status });
    expect(received).toHaveLength(1);
  });

  test('a connection that breaks › is thrown immediately', async () => {
    responses = [(response) => response.destroy()];
    await expect(create()).rejects.toThrow(TypeError);
    expect(received).toHaveLength(1);
  });

  test('a page of a proxy › is an error of unknown code', async () => {
    responses = [(response) => response.writeHead(502, { 'Content-Type': 'text/html' }).end('<h1>Bad gateway</h1>')];
    await expect(create()).rejects.toMatchObject({ status: 502, code: 'unknown', problem: null, requestId: null });
  });
});

test('a path and a query › are escaped; what is undefined is left out', async () => {
  const path = { id: 'a/b?c' as unknown as number };
  await client.getInvoice({ path, query: { includeDeleted: undefined } });
  await client.listInvoices({ query: { search: 'a&b', cursor: '' } });
  expect(received.map(({ url }) => url)).toEqual(['/api/invoices/a%2Fb%3Fc', '/api/invoices?search=a%26b&cursor=']);
  expect(keys()).toEqual([undefined, undefined]);
});
