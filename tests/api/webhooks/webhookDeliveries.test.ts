import { insertRows } from '../../../shared/engine/db/insert';
import { WebhookEndpoint } from '../../../shared/models';
import { Event, WebhookDelivery } from '../../support/models';
import { cleanUp } from '../../../shared/schedules';
import { MovableClock } from '../../support/clock';
import { numberAll } from '../../support/sequencer';
import { createCategory, createClient, createCompany } from '../../support/factories';
import { startApi, type Caller, type TestApi } from '../../support/server';
import { createEndpoint, storeDelivery } from '../../support/webhooks';

interface DeliveryBody {
  id: number;
  eventId: number | null;
}

const DAY_MS = 86_400_000;
const clock = new MovableClock();
let api: TestApi;
let companyId: number;
let caller: Caller;
let endpointId: number;
let path: string;

beforeAll(async () => {
  api = await startApi({ clock, env: { WEBHOOK_RETENTION_DAYS: '7' } });
});
beforeEach(async () => {
  const company = await createCompany(api.services);
  companyId = company.companyId;
  caller = api.as(company.token);
  endpointId = (await createEndpoint(api.services, companyId)).id;
  path = `/api/webhook-endpoints/${endpointId}`;
});

const store = (changes: Parameters<typeof storeDelivery>[2] = {}): Promise<WebhookDelivery> =>
  storeDelivery(api.services, { companyId, endpointId }, changes);
const storedDeliveries = (): Promise<WebhookDelivery[]> =>
  WebhookDelivery.findAll({ where: { companyId, endpointId }, order: ['id'] });
const disable = (): Promise<unknown> => caller.put(path).send({ enabled: false }).expect(200);

describe('the deliveries of an endpoint', () => {
  test('of an event that was never sent, and is therefore first in the order, show that it is sent now', async () => {
    const createdAt = new Date('2026-01-31T10:00:00Z');
    const { id } = await store({ nextAttemptAt: new Date('2016-01-31T10:00:00Z'), createdAt });
    const shown = { nextAttemptAt: createdAt.toISOString(), createdAt: createdAt.toISOString() };
    expect((await caller.get(`${path}/deliveries/${id}`).expect(200)).body).toMatchObject(shown);
    expect((await caller.get(`${path}/deliveries`).expect(200)).body).toMatchObject({ data: [shown] });
  });

  test('are shown newest first, with what the endpoint responded, and each on its own', async () => {
    const ended = new Date('2026-01-31T10:00:01.500Z');
    const first = await store({
      eventId: 4711,
      status: 'failed',
      attempts: 10,
      nextAttemptAt: null,
      responseStatus: 500,
      responseBody: 'out\u0007 of order',
      durationMs: 31,
      endedAt: ended,
    });
    const second = await store({ eventId: null, type: 'webhook.test', errorCode: 'timed_out', attempts: 1 });
    const { body } = await caller.get(`${path}/deliveries`).expect(200);
    const shown = [
      {
        id: second.id,
        eventId: null,
        type: 'webhook.test',
        isReplay: false,
        status: 'pending',
        attempts: 1,
        responseStatus: null,
        responseBody: null,
        errorCode: 'timed_out',
        durationMs: null,
        nextAttemptAt: second.nextAttemptAt?.toISOString(),
        createdAt: second.createdAt.toISOString(),
        endedAt: null,
      },
      {
        id: first.id,
        eventId: 4711,
        type: 'invoice.paid',
        isReplay: false,
        status: 'failed',
        attempts: 10,
        responseStatus: 500,
        responseBody: 'out\u0007 of order',
        errorCode: null,
        durationMs: 31,
        nextAttemptAt: null,
        createdAt: first.createdAt.toISOString(),
        endedAt: ended.toISOString(),
      },
    ];
    expect(body).toEqual({ data: shown, total: 2, page: 1, limit: 10, totalPages: 1, totalIsCapped: false });
    expect((await caller.get(`${path}/deliveries/${first.id}`).expect(200)).body).toEqual(shown[1]);
  });

  test('are filtered by status, and paged', async () => {
    for (const status of ['pending', 'delivered', 'pending', 'failed', 'pending'] as const) await store({ status });
    const list = async (query: string): Promise<unknown> => (await caller.get(`${path}/deliveries?${query}`)).body;
    expect(await list('status=pending&limit=2&page=2')).toMatchObject({ data: [{}], total: 3, totalPages: 2 });
    expect(await list('status=failed')).toMatchObject({ total: 1 });
    expect(await list('status=all')).toMatchObject({ total: 5 });
    expect(await list('page=9')).toMatchObject({ data: [], total: 5 });
    await caller.get(`${path}/deliveries?status=sent`).expect(400);
    await caller.get(`${path}/deliveries?sortBy=status`).expect(400);
  });

  test('of another endpoint, of a deleted one and of none › are not there', async () => {
    const other = await createEndpoint(api.services, companyId);
    const delivery = await store();
    await caller.get(`/api/webhook-endpoints/${other.id}/deliveries/${delivery.id}`).expect(404);
    await caller.post(`/api/webhook-endpoints/${other.id}/deliveries/${delivery.id}/replay`).expect(404);
    expect((await caller.get(`/api/webhook-endpoints/${other.id}/deliveries`)).body).toMatchObject({ total: 0 });
    await caller.get(`${path}/deliveries/999999999`).expect(404);
    await caller.delete(path).expect(200);
    await caller.get(`${path}/deliveries`).expect(404);
    await caller.get(`${path}/deliveries/${delivery.id}`).expect(404);
  });
});

describe('sending a test', () => {
  test('records a pending delivery that is due now, and shows where it is', async () => {
    const { body, headers } = await caller.post(`${path}/test`).expect(202);
    const { id } = body as DeliveryBody;
    expect(body).toMatchObject({
      eventId: null,
      type: 'webhook.test',
      status: 'pending',
      attempts: 0,
      isReplay: false,
    });
    expect(headers['location']).toBe(`${path}/deliveries/${id}`);
    expect((await caller.get(`${path}/deliveries/${id}`).expect(200)).body).toEqual(body);
    const [row] = await storedDeliveries();
    expect(row?.nextAttemptAt?.getTime()).toBeLessThanOrEqual(clock.now().getTime());
  });

  test('twice under an Idempotency-Key › records one', async () => {
    const send = () => caller.post(`${path}/test`).set('Idempotency-Key', 'test-1').expect(202);
    const first = await send();
    const again = await send();
    expect(again.text).toBe(first.text);
    expect(again.headers['location']).toBe(first.headers['location']);
    expect(await storedDeliveries()).toHaveLength(1);
  });

  test('to a disabled endpoint › is 409', async () => {
    await disable();
    const { body } = await caller.post(`${path}/test`).expect(409);
    expect(body).toMatchObject({ code: 'webhook_endpoint_disabled' });
    expect(await storedDeliveries()).toEqual([]);
  });
});

describe('sending a delivery again', () => {
  test('records another delivery of the same event, as a replay', async () => {
    const delivered = await store({ eventId: 4711, status: 'delivered', attempts: 3, nextAttemptAt: null });
    const { body, headers } = await caller.post(`${path}/deliveries/${delivered.id}/replay`).expect(202);
    expect(body).toMatchObject({ eventId: 4711, type: 'invoice.paid', isReplay: true, status: 'pending', attempts: 0 });
    expect((body as DeliveryBody).id).not.toBe(delivered.id);
    expect(headers['location']).toBe(`${path}/deliveries/${(body as DeliveryBody).id}`);
    await delivered.reload();
    expect(delivered).toMatchObject({ status: 'delivered', attempts: 3 });
  });

  test('to a disabled endpoint › is 409', async () => {
    const { id } = await store();
    await disable();
    await caller.post(`${path}/deliveries/${id}/replay`).expect(409);
    expect(await storedDeliveries()).toHaveLength(1);
  });
});

describe('sending a range of the feed again', () => {
  /** Three events after the endpoint was made. */
  async function happen(): Promise<number[]> {
    await createClient(api.services, companyId);
    await createCategory(api.services, companyId);
    await createClient(api.services, companyId);
    await numberAll(api.services);
    const events = await Event.findAll({ where: { companyId }, order: ['seq'] });
    return events.slice(-3).map(({ seq }) => seq ?? 0);
  }

  const replay = (after: number, until: number) => caller.post(`${path}/replay`).send({ after, until });

  test('records a delivery for each event after the one and up to the other, in the order of the feed', async () => {
    const [first = 0, second = 0, third = 0] = await happen();
    const { body } = await replay(first, third).expect(202);
    expect(body).toEqual({ message: 'Events that are sent again: 2', data: { deliveries: 2 } });
    expect((await storedDeliveries()).map(({ eventId, type }) => [eventId, type])).toEqual([
      [second, 'category.created'],
      [third, 'client.created'],
    ]);
    for (const delivery of await storedDeliveries()) {
      expect(delivery).toMatchObject({ isReplay: true, status: 'pending', attempts: 0, endedAt: null });
      expect(delivery.nextAttemptAt).toEqual(delivery.createdAt);
    }
  });

  test('records the types of the endpoint alone', async () => {
    const [first = 0, , third = 0] = await happen();
    await caller
      .put(path)
      .send({ types: ['client.*'] })
      .expect(200);
    expect((await replay(first - 1, third).expect(202)).body).toMatchObject({ data: { deliveries: 2 } });
    expect((await storedDeliveries()).map(({ type }) => type)).toEqual(['client.created', 'client.created']);
  });

  test('without events, or of equal ends › sends nothing', async () => {
    const [, , third = 0] = await happen();
    for (const [after, until] of [
      [third, third + 1_000],
      [third - 1, third - 1],
    ] as const) {
      expect((await replay(after, until).expect(202)).body).toMatchObject({ data: { deliveries: 0 } });
    }
    expect(await storedDeliveries()).toEqual([]);
  });

  test("of another company's events › sends none of them", async () => {
    const { companyId: otherId } = await createCompany(api.services);
    await createClient(api.services, otherId);
    await numberAll(api.services);
    await replay(0, Number.MAX_SAFE_INTEGER).expect(202);
    const own = new Set((await Event.findAll({ where: { companyId } })).map(({ seq }) => seq));
    expect((await storedDeliveries()).every(({ eventId }) => own.has(eventId))).toBe(true);
  });

  test('that begins beyond every event › is 409', async () => {
    const { body } = await replay(Number.MAX_SAFE_INTEGER - 1, Number.MAX_SAFE_INTEGER).expect(409);
    expect(body).toMatchObject({ code: 'after_ahead_of_feed' });
  });

  test('that begins at a number which the database shows at the third look, after a failover › is sent', async () => {
    const [, , third = 0] = await happen();
    const { feedWaits, sql } = api.services;
    const show = (number: number) => sql.run('UPDATE event_sequence SET last = ? WHERE id = 1', [number]);
    await show(third - 1);
    const wait = jest.spyOn(feedWaits, 'wait').mockResolvedValueOnce();
    wait.mockImplementationOnce(() => show(third).then(() => undefined));
    await replay(third, third + 1_000).expect(202);
    expect(wait).toHaveBeenCalledTimes(2);
  });

  test.each([
    ['a reversed one', { after: 5, until: 4 }, 'until'],
    ['one without an end', { after: 5 }, 'until'],
    ['one without a beginning', { until: 5 }, 'after'],
    ['a negative one', { after: -1, until: 4 }, 'after'],
    ['one of text', { after: '1', until: 4 }, 'after'],
    ['one past the end of integers', { after: 1, until: 2 ** 53 }, 'until'],
    ['one with another field', { after: 1, until: 2, types: ['*'] }, 'types'],
  ])('%s › is refused with 400', async (_what, range, field) => {
    const { body } = await caller.post(`${path}/replay`).send(range).expect(400);
    expect((body as { errors: { path: string }[] }).errors.map((error) => error.path)).toContain(field);
  });

  test('of more than 10,000 events › is 400 and names the part that fits, which can be sent', async () => {
    const [, , third = 0] = await happen();
    const rows = Array.from({ length: 10_000 }, (_, index) => ({
      ...{ companyId, type: 'client.updated', actor: 'test', subjectType: 'client', subjectId: 1, data: '{}' },
      ...{ createdAt: new Date(), seq: third + 1 + index },
    }));
    await insertRows(api.services.sql, 'events', rows);
    await api.services.sql.run('UPDATE event_sequence SET last = ? WHERE id = 1', [third + 10_000]);
    const { body } = await replay(third - 1, third + 20_000).expect(400);
    expect((body as { detail: string }).detail).toBe(
      `until must be at most ${third + 9_999}, because the range has more than 10000 events: continue after it with another request`,
    );
    expect(await storedDeliveries()).toEqual([]);
    expect((await replay(third - 1, third + 9_999).expect(202)).body).toMatchObject({ data: { deliveries: 10_000 } });
    expect((await replay(third + 9_999, third + 20_000).expect(202)).body).toMatchObject({ data: { deliveries: 1 } });
    expect(await WebhookDelivery.count({ where: { companyId, endpointId, status: 'pending' } })).toBe(10_001);
  });

  test('while the endpoint is disabled › is 409', async () => {
    await disable();
    expect((await replay(0, 1).expect(409)).body).toMatchObject({ code: 'webhook_endpoint_disabled' });
  });

  test('while 100,001 deliveries are pending › is 409, and so are tests', async () => {
    const delivery = await store();
    const columns = 'companyId, endpointId, eventId, type, status, nextAttemptAt, createdAt';
    for (let rows = 1; rows < 100_001; rows *= 2) {
      await api.services.sql.run(
        `INSERT INTO webhook_deliveries (${columns}) SELECT ${columns} FROM webhook_deliveries
          WHERE companyId = ? AND endpointId = ? LIMIT ${100_001 - rows}`,
        [companyId, endpointId],
      );
    }
    const full = { code: 'webhook_backlog_full' };
    expect((await replay(0, 1).expect(409)).body).toMatchObject(full);
    expect((await caller.post(`${path}/test`).expect(409)).body).toMatchObject(full);
    expect((await caller.post(`${path}/deliveries/${delivery.id}/replay`).expect(409)).body).toMatchObject(full);
    await delivery.update({ status: 'delivered' });
    await replay(0, 1).expect(202);
  });
});

test('the clean-up › removes deliveries that ended before the retention, and no others', async () => {
  const old = new Date(clock.now().getTime() - 8 * DAY_MS);
  const delivered = await store({ status: 'delivered', nextAttemptAt: null, createdAt: old, endedAt: old });
  const failed = await store({ status: 'failed', nextAttemptAt: null, createdAt: old, endedAt: old });
  const pending = await store({ createdAt: old });
  const recent = await store({ status: 'delivered', nextAttemptAt: null, createdAt: old, endedAt: clock.now() });
  expect((await cleanUp(api.services)).webhookDeliveries).toBeGreaterThanOrEqual(2);
  const left = (await storedDeliveries()).map(({ id }) => id);
  expect(left).toEqual([pending.id, recent.id]);
  expect(left).not.toContain(delivered.id);
  expect(left).not.toContain(failed.id);
  expect(await WebhookEndpoint.count({ where: { companyId } })).toBe(1);
});
