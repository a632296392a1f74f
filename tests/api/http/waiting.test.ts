import { createCompany, createInvoice } from '../../support/factories';
import { bullJobId } from '../../../shared/engine/jobs/Outbox';
import { UNPLACED } from '../../../shared/engine/jobs/QueueTurns';
import { heldByBuffers } from '../../support/memory';
import { head, RawConnection } from '../../support/rawHttp';
import { eventually } from '../../support/eventually';
import { startApi } from '../../support/server';

/** No worker runs here: nothing ends but by time. */
test('a request that waits › holds neither a place of its company nor a database connection', async () => {
  const small = await startApi({
    env: { JOB_WAIT_MS: '60000', MAX_REQUESTS_PER_COMPANY: '1', DATABASE_POOL_SIZE: '1' },
  });
  const company = await createCompany(small.services);
  const { id } = await createInvoice(small.services, company.companyId);
  const caller = small.as(company.token);
  const waiting = caller.post(`/api/invoices/${id}/send-email`).then((response) => response.status);
  const jobs = async (): Promise<{ id: number }[]> =>
    small.services.sql.rows('SELECT id FROM jobs WHERE companyId = ?', [company.companyId]);
  while ((await jobs()).length === 0) await caller.get(`/api/invoices/${id}`).expect(200);
  for (let n = 0; n < 5; n++) await caller.get(`/api/invoices/${id}`).expect(200);
  small.services.jobEndHints.endWaiting();
  expect(await waiting).toBe(202);
});

test('a request that waits › no longer holds the bytes of its body', async () => {
  const api = await startApi({ env: { JOB_WAIT_MS: '60000' } });
  const { companyId, token } = await createCompany(api.services);
  const { id } = await createInvoice(api.services, companyId);
  const body = Buffer.alloc(1_000_000, ' ');
  body.write('{}');
  const text = head('POST', `/api/invoices/${id}/send-email`, token, { 'Content-Length': body.length });
  const before = heldByBuffers();
  const clients = await Promise.all(Array.from({ length: 8 }, () => RawConnection.open(api.url)));
  await Promise.all(clients.flatMap((client) => [client.send(text), client.send(body)]));
  const jobs = async (): Promise<{ id: number }[]> =>
    api.services.sql.rows('SELECT id FROM jobs WHERE companyId = ?', [companyId]);
  await eventually(async () => (await jobs()).length === clients.length);
  await eventually(() => heldByBuffers() - before < body.length);
  api.services.jobEndHints.endWaiting();
  await Promise.all(clients.map((client) => client.until(/^HTTP\/1.1 202/)));
  for (const { socket } of clients) socket.destroy();
});

test('a request that waits for a PDF › holds no place either', async () => {
  const small = await startApi({ env: { JOB_WAIT_MS: '60000', MAX_REQUESTS_PER_COMPANY: '1' } });
  const company = await createCompany(small.services);
  const { id } = await createInvoice(small.services, company.companyId);
  const caller = small.as(company.token);
  const waiting = caller.get(`/api/invoices/${id}/pdf`).then((response) => response.status);
  const { queues } = small.services;
  while (((await queues.counts('pdf'))['waiting'] ?? 0) === 0) await caller.get(`/api/invoices/${id}`).expect(200);
  await caller.get(`/api/invoices/${id}`).expect(200);
  small.services.jobEndHints.endWaiting();
  expect(await waiting).toBe(503);
});

test('requests for one PDF whose clients have left › wait no longer, but for the last one: its render stays in the queue', async () => {
  const api = await startApi({ env: { JOB_WAIT_MS: '60000' } });
  const { companyId, token } = await createCompany(api.services);
  const { id } = await createInvoice(api.services, companyId);
  const { queues, waitedRenders } = api.services;
  const leaving = [1, 2, 3].map(() => new AbortController());
  const requests = leaving.map(({ signal }) =>
    fetch(`${api.url}/api/invoices/${id}/pdf`, { signal, headers: { Authorization: `Bearer ${token}` } }),
  );
  await eventually(() => waitedRenders.callersOf(companyId) === 3);
  for (const each of leaving) each.abort();
  expect((await Promise.allSettled(requests)).map(({ status }) => status)).toEqual(Array(3).fill('rejected'));
  await eventually(() => waitedRenders.callersOf(companyId) === 1);
  await eventually(async () => ((await queues.counts('pdf'))['waiting'] ?? 0) > 0);
  api.services.jobEndHints.endWaiting();
  await eventually(() => waitedRenders.callersOf(companyId) === 0);
});

test('e-mails that requests wait for › come before those with Prefer: respond-async, of every company', async () => {
  const api = await startApi({ env: { JOB_WAIT_MS: '100' } });
  const { services } = api;
  const request = async (preference: string): Promise<number> => {
    const company = await createCompany(services);
    const { id } = await createInvoice(services, company.companyId);
    const response = await api
      .as(company.token)
      .post(`/api/invoices/${id}/send-email`)
      .set('Prefer', preference)
      .expect(202);
    return (response.body as { data: { jobId: number } }).data.jobId;
  };
  await request('respond-async');
  const asynchronous = await request('respond-async');
  const waitedFor = await request('wait=10');
  const turnOf = (jobId: number): Promise<number> =>
    eventually(async () => {
      const key = `${services.config.redisPrefix}:email:${bullJobId(jobId)}`;
      const priority = Number(await services.queues.redis.hget(key, 'priority'));
      return priority > 0 && priority < UNPLACED ? priority : null;
    });
  expect(await turnOf(waitedFor)).toBeLessThan(await turnOf(asynchronous));
});
