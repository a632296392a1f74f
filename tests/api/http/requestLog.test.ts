import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { OpenResponses } from '../../../api/http/limits/OpenResponses';
import { Overloaded } from '../../../shared/engine/errors';
import { createCompany, createInvoice } from '../../support/factories';
import { collectLines, type LogLine } from '../../support/logLines';
import { eventually } from '../../support/eventually';
import { startApi, type TestApi } from '../../support/server';

const requestsOf = (lines: readonly LogLine[]): LogLine[] => lines.filter(({ msg }) => msg === 'request');

/** Starts an API that logs these requests; `lineOf` waits for the line of one. */
async function apiThatLogs(LOG_REQUESTS: string, env: Record<string, string> = {}) {
  const { log, lines } = collectLines();
  const api: TestApi = await startApi({ env: { LOG_REQUESTS, ...env }, log });
  const lineOf = (requestId: string): Promise<LogLine> =>
    eventually(() => requestsOf(lines).find((line) => line['requestId'] === requestId));
  return { api, lines, lineOf };
}

let all: Awaited<ReturnType<typeof apiThatLogs>>;
beforeAll(async () => {
  all = await apiThatLogs('all');
});

describe('with LOG_REQUESTS=all', () => {
  test('a request › has one line with its route, response, company and key, and without the key', async () => {
    const { api, lines, lineOf } = all;
    const { companyId, token, keyId } = await createCompany(api.services);
    const { id } = await createInvoice(api.services, companyId);
    const requestId = randomUUID();
    const { text } = await api.as(token).get(`/api/invoices/${id}?x=`).set('X-Request-Id', requestId).expect(200);
    expect(await lineOf(requestId)).toMatchObject({
      level: 30,
      method: 'GET',
      route: '/api/invoices/{id}',
      status: 200,
      ms: expect.any(Number) as number,
      companyId,
      keyId,
      bytes: expect.any(Number) as number,
    });
    const line = await lineOf(requestId);
    expect(line['bytes']).toBeGreaterThan(text.length);
    expect(line).not.toHaveProperty('isCutOff');
    expect(requestsOf(lines).filter((other) => other['requestId'] === requestId)).toHaveLength(1);
    expect(JSON.stringify(lines)).not.toContain(token);
  });

  test('several requests on one connection › have the bytes of their own response each', async () => {
    const { api, lineOf } = all;
    const [small, large] = [randomUUID(), randomUUID()];
    const get = (path: string, requestId: string): string =>
      `GET ${path} HTTP/1.1\r\nHost: x\r\nX-Request-Id: ${requestId}\r\n\r\n`;
    const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
    let received = 0;
    socket.on('data', (chunk) => (received += chunk.length));
    socket.write(get('/openapi.json', large) + get('/healthz', small));
    const bytesOf = async (requestId: string): Promise<number> => Number((await lineOf(requestId))['bytes']);
    const [ofLarge, ofSmall] = [await bytesOf(large), await bytesOf(small)];
    await eventually(() => received === ofLarge + ofSmall);
    socket.destroy();
    expect(ofSmall).toBeLessThan(2_000);
  });

  test.each([
    ['without a key', '/api/invoices/17', null, 401],
    ['of an unknown path', '/unknown/secret-path', null, 404],
    ['of a public path', '/webhooks/gateway/nobody', '/webhooks/gateway/{provider}', 404],
  ])('a request %s › has a line without a company and without its path', async (_, path, route, status) => {
    const { api, lineOf } = all;
    const requestId = randomUUID();
    await api.as('wrong-key').post(path).set('X-Request-Id', requestId).expect(status);
    const line = await lineOf(requestId);
    expect(line).toMatchObject({ method: 'POST', route, status });
    expect(Object.keys(line)).not.toContain('companyId');
    expect(JSON.stringify(line)).not.toContain('secret-path');
  });

  test('a request whose client ends the connection › has a line that says so, and no status', async () => {
    const { api, lineOf } = all;
    const { token } = await createCompany(api.services);
    const requestId = randomUUID();
    const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
    await once(socket, 'connect');
    const head = ['POST /api/clients HTTP/1.1', 'Host: x', `Authorization: Bearer ${token}`];
    const body = ['Content-Type: application/json', 'Content-Length: 100', 'Expect: 100-continue'];
    socket.write([...head, ...body, `X-Request-Id: ${requestId}`, '', ''].join('\r\n'));
    await once(socket, 'data');
    socket.destroy();
    expect(await lineOf(requestId)).toMatchObject({ route: '/api/clients', status: null, isCutOff: true });
  });
});

test('with LOG_REQUESTS=slow › a 5xx and what took more than a second have a line, and nothing else', async () => {
  const { api, lines, lineOf } = await apiThatLogs('slow', { JOB_WAIT_MS: '1050' });
  const { companyId, token } = await createCompany(api.services);
  const { id } = await createInvoice(api.services, companyId);
  const caller = api.as(token);
  await caller.get(`/api/invoices/${id}`).expect(200);
  await caller.get('/api/invoices/0').expect(404);
  await caller.post(`/api/invoices/${id}/send-email`).set('X-Request-Id', 'slow').expect(202);
  jest.spyOn(api.services.queues, 'check').mockRejectedValue(new Error('x'));
  await caller.get('/readyz').set('X-Request-Id', 'failed').expect(500);
  expect(await lineOf('failed')).toMatchObject({ route: '/readyz', status: 500 });
  expect(await lineOf('slow')).toMatchObject({ route: '/api/invoices/{id}/send-email', status: 202 });
  // On a machine that stalls, any request may take more than a second.
  expect(requestsOf(lines).filter(({ status, ms }) => Number(status) < 500 && Number(ms) <= 1_000)).toEqual([]);
});

test('with LOG_REQUESTS=errors › only a 5xx has a line', async () => {
  const { api, lines, lineOf } = await apiThatLogs('errors', { JOB_WAIT_MS: '1050' });
  const { companyId, token } = await createCompany(api.services);
  const { id } = await createInvoice(api.services, companyId);
  await api.as(token).post(`/api/invoices/${id}/send-email`).expect(202);
  jest.spyOn(api.services.queues, 'check').mockRejectedValue(new Error('x'));
  await api.as().get('/readyz').set('X-Request-Id', 'failed').expect(500);
  expect(await lineOf('failed')).toMatchObject({ status: 500 });
  expect(requestsOf(lines)).toHaveLength(1);
});

test.each([
  ['errors', 0],
  ['all', 4],
])(
  'with LOG_REQUESTS=%s › a flood of refusals has one line for each company, and %i of its requests',
  async (which, count) => {
    const { api, lines } = await apiThatLogs(which);
    const [one, two] = [await createCompany(api.services), await createCompany(api.services)];
    jest.spyOn(OpenResponses.prototype, 'admit').mockImplementation(() => {
      throw new Overloaded('unread responses');
    });
    for (const { token } of [one, one, two, one]) await api.as(token).get('/api/invoices').expect(503);
    const refusals = lines.filter(({ msg }) => msg === 'overloaded');
    expect(refusals).toMatchObject([one, two].map(({ companyId }) => ({ level: 40, companyId, count: 1 })));
    jest.restoreAllMocks();
    // One that has a line in any case comes after them.
    jest.spyOn(api.services.sql, 'rows').mockRejectedValue(new Error('broken'));
    await api.as(one.token).get('/api/invoices').expect(500);
    await eventually(() => requestsOf(lines).some(({ status }) => status === 500));
    expect(requestsOf(lines)).toHaveLength(count + 1);
  },
);

test('a request that fails › has a line with the error and its route, and no line has its path, which may carry a token', async () => {
  const { api, lines } = await apiThatLogs('all');
  const { companyId, token } = await createCompany(api.services);
  const { id } = await createInvoice(api.services, companyId);
  jest.spyOn(api.services.pauses, 'has').mockRejectedValueOnce(new Error('it broke'));
  await api.as(token).get(`/api/invoices/${id}/pdf`).set('X-Request-Id', 'broken').expect(500);
  const line = await eventually(() => lines.find(({ msg }) => msg === 'internal_error'));
  expect(line).toMatchObject({ requestId: 'broken', route: '/api/invoices/{id}/pdf', err: { message: 'it broke' } });
  expect(JSON.stringify(lines)).not.toContain(`/api/invoices/${id}`);
});
