import type { Services } from '../../../shared/services';
import { newestEvent } from '../../../shared/engine/events/feed';
import { deliveryCounter } from '../../../shared/webhooks';
import { WebhookDelivery } from '../../support/models';
import { WebhookEndpoint } from '../../../shared/webhooks/WebhookEndpoint';
import { createClient, createCompany } from '../../support/factories';
import { openTestServices } from '../../support/installation';
import { plansOf } from '../../support/plans';
import { numberAll } from '../../support/sequencer';
import { SetClock } from '../../support/schedules';
import { storeDelivery, storeEndpoint } from '../../support/webhooks';

const clock = new SetClock('2026-03-01T12:00:00Z');
const seconds = (from: number): Date => new Date(clock.now().getTime() + from * 1_000);
let services: Services;
let companyId: number;

beforeAll(async () => {
  services = await openTestServices({ clock });
  ({ companyId } = await createCompany(services));
  await numberAll(services);
});
beforeEach(async () => {
  await WebhookDelivery.destroy({ where: {} });
  await WebhookEndpoint.destroy({ where: {} });
});

const count = () => deliveryCounter.count(services.sql, clock.now());
/** An endpoint that has come to the end of the feed. */
async function current(): Promise<{ companyId: number; endpointId: number; row: WebhookEndpoint }> {
  const row = await storeEndpoint(services, companyId);
  await row.update({ position: await newestEvent(services.sql, companyId) });
  return { companyId, endpointId: row.id, row };
}
const nothing = { waiting: 0, scheduled: 0, running: 0, failed: 0, uncertain: 0, oldest: null };

test('no endpoints › nothing', async () => {
  expect(await count()).toEqual(nothing);
});

test('deliveries › those that are due wait, those with a retry later are scheduled, ended ones are not counted', async () => {
  const [{ row: _one, ...one }, { row: _other, ...other }] = [await current(), await current()];
  await storeDelivery(services, one, { nextAttemptAt: seconds(-90), createdAt: seconds(-95) });
  await storeDelivery(services, one, { nextAttemptAt: seconds(-5) });
  await storeDelivery(services, other, { nextAttemptAt: seconds(0) });
  await storeDelivery(services, other, { nextAttemptAt: seconds(60) });
  await storeDelivery(services, other, { status: 'failed', nextAttemptAt: null, endedAt: seconds(0) });
  await storeDelivery(services, other, { status: 'delivered', nextAttemptAt: null, endedAt: seconds(0) });
  expect(await count()).toEqual({ ...nothing, waiting: 3, scheduled: 1, oldest: seconds(-90) });
});

test('a delivery that is first in the order, as its event was never sent › has waited since it was recorded', async () => {
  const { row: _row, ...endpoint } = await current();
  await storeDelivery(services, endpoint, { nextAttemptAt: new Date('2016-03-01'), createdAt: seconds(-30) });
  expect(await count()).toEqual({ ...nothing, waiting: 1, oldest: seconds(-30) });
});

test('events › those after the position of an endpoint that is not served wait for it', async () => {
  const { row } = await current();
  const { row: disabled } = await current();
  await disabled.update({ enabled: false });
  await createClient(services, companyId);
  await createClient(services, companyId);
  await numberAll(services);
  expect(await count()).toEqual({ ...nothing, waiting: 2, oldest: clock.now() });
  await row.update({ leaseUntil: seconds(5) });
  expect(await count()).toEqual({ ...nothing, running: 1 });
  await row.update({ leaseUntil: seconds(-1) });
  expect(await count()).toMatchObject({ waiting: 2, running: 0 });
});

test('every statement › reads an index of deliveries and events, nothing that has ended', async () => {
  await current();
  const { row } = await current();
  await createClient(services, companyId);
  await numberAll(services);
  await row.update({ position: 0 });
  const steps = (await plansOf(services.sql, (sql) => deliveryCounter.count(sql, clock.now()))).flat();
  const keyOf = (table: string) => new Set(steps.filter((step) => step.table === table).map(({ key }) => key));
  expect(keyOf('webhook_deliveries')).toEqual(new Set(['webhook_deliveries_pending']));
  expect(keyOf('deliveries')).toEqual(new Set(['webhook_deliveries_pending']));
  expect(keyOf('events')).toEqual(new Set(['events_feed']));
});
