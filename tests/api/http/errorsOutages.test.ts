import { once } from 'node:events';
import { createClient, createCompany, createInvoice, invoiceInput } from '../../support/factories';
import { installation } from '../../support/installation';
import { startApi, type Caller, type TestApi } from '../../support/server';
import { startTcpProxy, type TcpProxy } from '../../support/tcpProxy';

let mysql: TcpProxy;
let redis: TcpProxy;
let api: TestApi;
let caller: Caller;
let companyId: number;
let clientId: number;
let invoiceId: number;

beforeAll(async () => {
  const { DATABASE_URL = '', REDIS_URL = '' } = await installation();
  mysql = await startTcpProxy(DATABASE_URL);
  redis = await startTcpProxy(REDIS_URL);
  api = await startApi({ env: { DATABASE_URL: mysql.url, REDIS_URL: redis.url, DATABASE_TIMEOUT_MS: '5000' } });
  await redisReady();
});

beforeEach(async () => {
  const company = await createCompany(api.services);
  companyId = company.companyId;
  caller = api.as(company.token);
  clientId = (await createClient(api.services, companyId)).id;
  invoiceId = (await createInvoice(api.services, companyId, { clientId })).id;
});

async function redisReady(): Promise<void> {
  const connection = api.services.queues.redis;
  if (connection.status !== 'ready') await once(connection, 'ready');
}

const expectUnavailable = (body: unknown, retryAfter: unknown): void => {
  const message = expect.stringMatching(/^[^:]+ cannot be reached at the moment$/) as string;
  expect(body).toEqual({
    type: 'about:blank',
    title: 'Service Unavailable',
    status: 503,
    code: 'service_unavailable',
    detail: message,
    message,
    requestId: expect.any(String) as string,
  });
  expect(retryAfter).toMatch(/^[1-9]\d*$/);
};

describe('MySQL cannot be reached', () => {
  afterEach(() => mysql.restore());

  test('it has frozen: connected and silent › 503, and recovers by itself', async () => {
    const path = `/api/invoices/${invoiceId}`;
    await caller.get(path).expect(200);
    mysql.freeze();
    const { body, headers } = await caller.get(path).expect(503);
    expectUnavailable(body, headers['retry-after']);
    mysql.restore();
    await caller.get(path).expect(200);
  });

  test('every endpoint › 503 with Retry-After and nothing of the inside, and recovers by itself', async () => {
    await caller.get(`/api/invoices/${invoiceId}`).expect(200);
    mysql.cut();
    const path = `/api/invoices/${invoiceId}`;
    for (const request of [
      caller.get('/api/invoices'),
      caller.post('/api/invoices').send(invoiceInput(clientId)),
      caller.post('/api/invoices').set('Idempotency-Key', 'outage').send(invoiceInput(clientId)),
      caller.get(path),
      caller.put(path).send({ notes: 'x' }),
      caller.delete(path),
      caller.post(`${path}/send-email`),
      caller.post(`${path}/create-gateway-invoice`),
      caller.get(`${path}/pdf`),
      caller.get('/api/jobs/1'),
      api.as('inv_unknown').get('/api/invoices'),
      api.as().get('/readyz'),
    ]) {
      const { body, headers } = await request.expect(503);
      if (!request.url.endsWith('/readyz')) expectUnavailable(body, headers['retry-after']);
    }
    await api.as().get('/healthz').expect(200);
    mysql.restore();
    await caller.get(path).expect(200);
    await caller.post('/api/invoices').set('Idempotency-Key', 'outage').send(invoiceInput(clientId)).expect(201);
    expect((await caller.get('/api/invoices')).body).toMatchObject({ total: 2 });
  });

  test('while requests run › each is done or 503, the rest is whole', async () => {
    const requests = Array.from({ length: 60 }, (_, n) => {
      if (n % 3 === 0) return caller.post('/api/invoices').send(invoiceInput(clientId));
      if (n % 3 === 1) return caller.put(`/api/invoices/${invoiceId}`).send({ notes: `n${n}` });
      return caller.get(`/api/invoices/${invoiceId}`);
    });
    const responses = requests.map((request) => request.then((response) => response));
    await Promise.race(responses);
    mysql.cut();
    const statuses = (await Promise.all(responses)).map(({ status }) => status);
    expect([...new Set(statuses)].filter((status) => ![200, 201, 503].includes(status))).toEqual([]);
    mysql.restore();
    const { body } = await caller.get('/api/invoices').expect(200);
    const [row] = await api.services.sql.rows<{ total: number }>(
      'SELECT COUNT(*) AS total FROM invoices WHERE companyId = ? AND invoiceNumber IS NOT NULL',
      [companyId],
    );
    expect(body).toMatchObject({ total: row?.total });
  });
});

describe('MySQL refuses a statement for now', () => {
  test.each([
    [1205, 'ER_LOCK_WAIT_TIMEOUT'],
    [1317, 'ER_QUERY_INTERRUPTED'],
    [1290, 'ER_OPTION_PREVENTS_STATEMENT'],
    [1021, 'ER_DISK_FULL'],
    [1114, 'ER_RECORD_FILE_FULL'],
  ])('%i %s › 503 with Retry-After for a read and for a write', async (errno, code) => {
    const refusal = Object.assign(new Error(code), { errno, code, sqlState: 'HY000' });
    jest.spyOn(api.services.sql, 'rowsWithin').mockRejectedValue(refusal);
    jest.spyOn(api.services, 'perform').mockRejectedValue(refusal);
    for (const refused of [await caller.get('/api/invoices'), await caller.post('/api/clients').send({ name: 'x' })]) {
      expect([refused.status, refused.body]).toEqual([
        503,
        expect.objectContaining({ code: 'service_unavailable' }) as object,
      ]);
      expect(refused.headers['retry-after']).toMatch(/^[1-9]\d*$/);
      expect(refused.text).not.toContain(code);
    }
  });
});

describe('Redis cannot be reached', () => {
  beforeAll(() => redis.cut());
  afterAll(() => redis.restore());

  test('reads and writes › go on', async () => {
    const { body } = await caller.post('/api/invoices').send(invoiceInput(clientId)).expect(201);
    const path = `/api/invoices/${(body as { id: number }).id}`;
    await caller.get(path).expect(200);
    await caller.put(path).send({ status: 'sent' }).expect(200);
    await caller.get('/api/invoices').expect(200);
    await caller.delete(path).expect(200);
  });

  test.each(['send-email', 'create-gateway-invoice'])('%s › 202 immediately, and the job is kept', async (action) => {
    const response = await caller.post(`/api/invoices/${invoiceId}/${action}`).expect(202);
    const { jobId } = (response.body as { data: { jobId: number } }).data;
    expect(response.headers['location']).toBe(`/api/jobs/${jobId}`);
    expect((await caller.get(`/api/jobs/${jobId}`).expect(200)).body).toMatchObject({ status: 'pending', attempt: 0 });
  });

  test('a PDF that is not stored › 503 with Retry-After', async () => {
    const { body, headers } = await caller.get(`/api/invoices/${invoiceId}/pdf`).expect(503);
    expectUnavailable(body, headers['retry-after']);
  });

  test('readyz › 503, healthz › 200', async () => {
    await api.as().get('/readyz').expect(503);
    await api.as().get('/healthz').expect(200);
  });
});

describe('Redis is back', () => {
  test('ready again, and the next relay of the outbox queues the job that was kept', async () => {
    redis.cut();
    const { body } = await caller.post(`/api/invoices/${invoiceId}/send-email`).expect(202);
    const { jobId } = (body as { data: { jobId: number } }).data;
    redis.restore();
    await redisReady();
    await api.as().get('/readyz').expect(200);
    await api.services.sql.run('UPDATE jobs SET relayAt = createdAt WHERE companyId = ?', [companyId]);
    await api.services.outbox.relayDue();
    const [row] = await api.services.sql.rows<{ relayed: number }>(
      'SELECT relayAt > createdAt AS relayed FROM jobs WHERE companyId = ? AND id = ?',
      [companyId, jobId],
    );
    expect(row).toEqual({ relayed: 1 });
    const { config, queues } = api.services;
    expect(await queues.redis.keys(`${config.redisPrefix}:email:job-${jobId}`)).toHaveLength(1);
  });
});
