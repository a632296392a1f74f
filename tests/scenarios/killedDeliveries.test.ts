import { recordEvent, eventType } from '../../shared/engine/events/recordEvent';
import type { Services } from '../../shared/services';
import { WebhookDelivery } from '../support/models';
import { Type } from '@sinclair/typebox';
import { eventually } from '../support/eventually';
import { createCompany } from '../support/factories';
import { installation, openTestServices } from '../support/installation';
import { startWorkerProcess } from '../support/processes';
import { createEndpoint } from '../support/webhooks';
import { startEndpoint } from '../workers/webhooks/localEndpoint';

/** Real worker processes, which are killed while they send. */
let services: Services;
let env: Record<string, string>;
beforeAll(async () => {
  services = await openTestServices({ env: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
  env = { ...(await installation()), WEBHOOK_ALLOW_PRIVATE: 'true', WORKER_QUEUES: 'webhook' };
});

const happened = eventType('client.updated', Type.Object({ number: Type.Number() }), { meaning: 'of a test' });

function record(companyId: number, count: number): Promise<void> {
  return services.perform({ companyId, actor: 'test' }, (uow) => {
    for (let number = 0; number < count; number++) recordEvent(uow, happened, 1 + (number % 40), { number });
  });
}

test('a worker that is killed repeatedly while it sends › every event arrives, some twice with the same id', async () => {
  const { companyId } = await createCompany(services);
  const far = await startEndpoint();
  const { id: endpointId } = await createEndpoint(services, companyId, { url: far.url, types: ['client.updated'] });
  await record(companyId, 400);
  for (const until of [60, 180]) {
    const worker = await startWorkerProcess(env);
    await eventually(() => far.received.length >= until);
    await worker.end('SIGKILL');
  }
  const last = await startWorkerProcess(env);
  const delivered = () => WebhookDelivery.count({ where: { endpointId, status: 'delivered' } });
  await eventually(async () => (await delivered()) === 400);
  const ids = far.received.map(({ headers }) => headers['webhook-id']);
  const events = await services.sql.rows<{ seq: number }>(
    "SELECT seq FROM events WHERE companyId = ? AND type = 'client.updated' ORDER BY seq",
    [companyId],
  );
  expect([...new Set(ids)].sort()).toEqual(events.map(({ seq }) => `evt_${seq}`).sort());
  // Of each killed worker at most what it had sent and not recorded.
  expect(ids.length - 400).toBeLessThanOrEqual(2 * 220);
  expect(await WebhookDelivery.count({ where: { endpointId } })).toBe(400);
  await last.end('SIGTERM');
});

test('SIGTERM while it sends › the worker ends in time, and another one sends what it has left, nothing twice', async () => {
  const { companyId } = await createCompany(services);
  const far = await startEndpoint();
  const { id: endpointId } = await createEndpoint(services, companyId, { url: far.url, types: ['client.updated'] });
  await record(companyId, 400);
  const worker = await startWorkerProcess(env);
  await eventually(() => far.received.length >= 60);
  expect(await worker.end('SIGTERM')).toEqual([0, null]);
  await startWorkerProcess(env);
  await eventually(async () => (await WebhookDelivery.count({ where: { endpointId, status: 'delivered' } })) === 400);
  expect(far.received).toHaveLength(400);
});
