import type { ServerResponse } from 'node:http';
import { pauseQueue, resumeQueue } from '../../../shared/engine/jobs/queuePauses';
import { WebhookDelivery } from '../../support/models';
import { Sequencer } from '../../../workers/events/Sequencer';
import { WorkerPool } from '../../../workers/jobs/WorkerPool';
import { LeaseConnection } from '../../../workers/jobs/LeaseConnection';
import { Presence } from '../../../workers/jobs/Presence';
import { servedQueues } from '../../../workers/servedQueues';
import { startSchedules } from '../../../workers/schedules/schedules';
import { EndpointWaker } from '../../../workers/webhooks/EndpointWaker';
import type { Tools } from '../../../workers/jobs/JobRun';
import { eventually } from '../../support/eventually';
import { createClient, createCompany } from '../../support/factories';
import { atEnd } from '../../support/installation';
import { startOperator, type TestOperator } from '../../support/operator';
import { createEndpoint, storeDelivery } from '../../support/webhooks';
import { openSender } from '../../support/workers';
import { startEndpoint } from './localEndpoint';

// What a worker process does for webhooks, over Redis and on the real clock.
let operator: TestOperator;
let companyId: number;
let pool: WorkerPool;
beforeAll(async () => {
  operator = await startOperator({
    env: {
      ...{ WEBHOOK_ALLOW_PRIVATE: 'true', WORKER_QUEUES: 'webhook', WEBHOOK_TIMEOUT_MS: '15000' },
      WEBHOOK_CONCURRENCY: '8',
    },
  });
  const { services } = operator;
  ({ companyId } = await createCompany(services));
  const leases = new LeaseConnection(services.config.databaseUrl);
  const tools = { services, leases, sender: openSender(services) } as unknown as Tools;
  pool = new WorkerPool(services, servedQueues(tools, null), { waits: true });
  const presence = new Presence(services, pool);
  const waker = new EndpointWaker(services);
  const sequencer = new Sequencer(services, (numbered) => void waker.numbered(numbered));
  const stopSchedules = startSchedules(services);
  await pool.waitUntilReady();
  presence.start();
  sequencer.start();
  atEnd(async () => {
    await Promise.all([pool.drain(5_000), stopSchedules(), sequencer.stop(), presence.stop()]);
    leases.close();
  });
});

test('an event › is sent to its endpoint as soon as it has its number', async () => {
  const { services } = operator;
  const far = await startEndpoint();
  const { id } = await createEndpoint(services, companyId, { url: far.url, types: ['client.*'] });
  const { id: clientId } = await createClient(services, companyId);
  await eventually(() => far.received.length === 1);
  expect(JSON.parse(far.received[0]?.body ?? '')).toMatchObject({
    type: 'client.created',
    data: { subject: { type: 'client', id: clientId } },
  });
  await eventually(async () => (await WebhookDelivery.count({ where: { endpointId: id, status: 'delivered' } })) === 1);
  const samples = await operator.samples();
  expect(samples.get('invoicing_webhook_deliveries_total{outcome="delivered"}')).toBeGreaterThan(0);
  expect(samples.get('invoicing_job_duration_seconds_count{job="serveEndpoint",outcome="done"}')).toBeGreaterThan(0);
});

test('a delivery that is recorded with a commit › is sent at once; one whose wake was lost, by the next scan', async () => {
  const { services } = operator;
  const far = await startEndpoint();
  const { id: endpointId } = await createEndpoint(services, companyId, { url: far.url, types: ['company.updated'] });
  const endpoint = { companyId, endpointId };
  const [first, second] = [
    await storeDelivery(services, endpoint, { eventId: null, type: 'webhook.test' }),
    await storeDelivery(services, endpoint, { eventId: null, type: 'webhook.test' }),
  ];
  await eventually(() => far.received.length === 2);
  expect(far.received.map(({ headers }) => headers['webhook-id'])).toEqual([`test_${first.id}`, `test_${second.id}`]);
});

test('four companies whose endpoints are slow, and succeed › another company’s delivery is sent while all of theirs are held', async () => {
  const { services } = operator;
  const held = new Set<ServerResponse>();
  const slow = await startEndpoint((_, response) => {
    held.add(response);
    // On a slow machine some are given up meanwhile, and are sent again.
    response.once('close', () => held.delete(response));
  });
  const far = await startEndpoint();
  await createEndpoint(services, companyId, { url: far.url, types: ['client.created'] });
  for (let attacker = 0; attacker < 4; attacker++) {
    const company = await createCompany(services);
    for (let count = 0; count < 6; count++) {
      const endpoint = await createEndpoint(services, company.companyId, { url: slow.url, types: ['company.updated'] });
      const ref = { companyId: company.companyId, endpointId: endpoint.id };
      await storeDelivery(services, ref, { eventId: null, type: 'webhook.test' });
    }
  }
  // As many as get a slot; the others wait, or are put off.
  await eventually(() => slow.received.length >= 4);
  const scanned = await lastScan();
  await eventually(async () => (await lastScan()) > scanned + 1);
  await createClient(services, companyId);
  await eventually(() => far.received.length === 1);
  expect(held.size).toBeGreaterThan(0);
  expect(held.size).toBeLessThan(8);
  slow.respond((_, response) => void response.writeHead(204).end());
  for (const response of held) response.writeHead(204).end();
  await eventually(() => new Set(slow.received.map(({ headers }) => headers['webhook-id'])).size === 24);
});

test('a paused queue › nothing is sent and no entries pile up; afterwards everything is', async () => {
  const { services } = operator;
  const far = await startEndpoint();
  await createEndpoint(services, companyId, { url: far.url, types: ['client.created'] });
  const pauses = jest.spyOn(pool, 'pauseOnly');
  await pauseQueue(services.sql, 'webhook');
  // By a heartbeat: one that had read the pauses before this one would let the queue run again.
  await eventually(() => pauses.mock.lastCall?.[0].has('webhook'));
  await eventually(() => services.pauses.has('webhook'));
  await createClient(services, companyId);
  const scanned = await lastScan();
  await eventually(async () => (await lastScan()) > scanned + 1);
  expect(far.received).toEqual([]);
  expect(await services.queues.counts('webhook')).toMatchObject({ waiting: 0, active: 0 });
  await resumeQueue(services.sql, 'webhook');
  await eventually(() => far.received.length > 0);
});

async function lastScan(): Promise<number> {
  const samples = await operator.samples();
  return samples.get('invoicing_scan_last_success_timestamp_seconds{scan="webhook-endpoints"}') ?? 0;
}
