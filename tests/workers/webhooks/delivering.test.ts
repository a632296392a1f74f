import { Webhook } from 'standardwebhooks';
import { deliveries } from '../../../config/queues';
import type { Sql } from '../../../shared/engine/db';
import { LoopShare } from '../../../shared/engine/fair';
import { Event, WebhookDelivery } from '../../support/models';
import type { WebhookEndpoint } from '../../../shared/webhooks/WebhookEndpoint';
import { eventually } from '../../support/eventually';
import { storeDelivery } from '../../support/webhooks';
import { closedPort, startEndpoint, type Respond } from './localEndpoint';
import { Webhooks } from './Webhooks';

let webhooks: Webhooks;
let companyId: number;
beforeAll(async () => {
  webhooks = await Webhooks.open();
  companyId = await webhooks.company();
});

const range = (length: number): number[] => Array.from({ length }, (_, index) => index);

const respondWith =
  (status: number, body = ''): Respond =>
  (_, response) =>
    void response.writeHead(status).end(body);

describe('an event', () => {
  it('is sent as the feed shows it, signed, and recorded as delivered', async () => {
    const far = await startEndpoint(respondWith(200, 'thanks'));
    const endpoint = await webhooks.endpoint(companyId, far.url);
    const [eventId = 0] = await webhooks.events(companyId, [17], 'invoice.paid');
    await webhooks.serve(endpoint);
    const [request] = far.received;
    const event = await Event.findOne({ where: { companyId, seq: eventId }, rejectOnEmpty: true });
    const createdAt = event.createdAt.toISOString();
    expect(new Webhook(webhooks.secret).verify(request?.body ?? '', request?.headers ?? {})).toEqual({
      type: 'invoice.paid',
      timestamp: createdAt,
      data: {
        id: eventId,
        type: 'invoice.paid',
        createdAt,
        actor: 'test',
        requestId: null,
        subject: { type: 'invoice', id: 17 },
        data: { number: 0 },
      },
    });
    expect(request?.headers['webhook-id']).toBe(`evt_${eventId}`);
    const [delivery, ...others] = await webhooks.deliveries(endpoint);
    expect(others).toEqual([]);
    expect(delivery?.toJSON()).toMatchObject({
      ...{ eventId, type: 'invoice.paid', isReplay: false, status: 'delivered', attempts: 1, nextAttemptAt: null },
      ...{ responseStatus: 200, responseBody: 'thanks', errorCode: null },
    });
    expect(await webhooks.reload(endpoint)).toMatchObject({ position: eventId, leaseUntil: null, failures: 0 });
  });

  it('is sent to each endpoint that wants its type, and to no other', async () => {
    const far = await Promise.all([startEndpoint(), startEndpoint(), startEndpoint()]);
    const endpoints = await Promise.all([
      webhooks.endpoint(companyId, far[0].url, ['invoice.*']),
      webhooks.endpoint(companyId, far[1].url, ['expense.created', 'invoice.payment_link.created']),
      webhooks.endpoint(companyId, far[2].url, ['client.*']),
    ]);
    for (const type of ['invoice.paid', 'invoice.payment_link.created', 'expense.created', 'expense.updated']) {
      await webhooks.events(companyId, [1], type);
    }
    for (const endpoint of endpoints) await webhooks.serve(endpoint);
    const types = far.map(({ received }) => received.map(({ body }) => (JSON.parse(body) as { type: string }).type));
    expect(types).toEqual([
      ['invoice.paid', 'invoice.payment_link.created'],
      ['invoice.payment_link.created', 'expense.created'],
      [],
    ]);
    const newest = await Event.max<number, Event>('seq', { where: { companyId } });
    for (const endpoint of endpoints) expect(await webhooks.reload(endpoint)).toMatchObject({ position: newest });
  });

  it('of another company is never sent', async () => {
    const far = await startEndpoint();
    const endpoint = await webhooks.endpoint(companyId, far.url);
    const other = await webhooks.company();
    await webhooks.events(other, [1, 2]);
    await webhooks.serve(endpoint);
    expect(far.received).toEqual([]);
    // Nor to the endpoint of another company, whatever an entry of the queue says.
    await webhooks.events(companyId, [1]);
    await webhooks.serve({ companyId: other, id: endpoint.id });
    expect(far.received).toEqual([]);
    expect(await webhooks.deliveries(endpoint)).toEqual([]);
  });

  it('of one subject follows the one before, at any speed; those of others are sent at the same time', async () => {
    let inFlight = 0;
    let most = 0;
    const running = new Set<number>();
    const together: number[] = [];
    const far = await startEndpoint(({ body }, response) => {
      const { subject } = (JSON.parse(body) as { data: { subject: { id: number } } }).data;
      if (running.has(subject.id)) together.push(subject.id);
      running.add(subject.id);
      most = Math.max(most, ++inFlight);
      setTimeout(() => {
        inFlight -= 1;
        running.delete(subject.id);
        response.writeHead(204).end();
      }, Math.random() * 10);
    });
    const endpoint = await webhooks.endpoint(companyId, far.url);
    const subjects = Array.from({ length: 250 }, (_, index) => Math.floor(index / 2) % 23);
    const ids = await webhooks.events(companyId, subjects);
    await webhooks.serveAll(endpoint);
    expect(together).toEqual([]);
    const order = far.received.map(({ headers }) => Number(headers['webhook-id']?.slice(4)));
    expect([...order].sort((one, other) => one - other)).toEqual(ids);
    for (let subject = 0; subject < 23; subject++) {
      const own = ids.filter((_, index) => subjects[index] === subject);
      expect(order.filter((id) => own.includes(id))).toEqual(own);
    }
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(10);
    const rows = await webhooks.deliveries(endpoint);
    expect(rows.map(({ eventId }) => eventId)).toEqual(ids);
    expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(['delivered']));
  });

  it.each([
    { replays: 0, turnEvents: 35 },
    { replays: 250, turnEvents: 135 },
  ])(
    'of one subject follows the one before, also when turns end before all are sent: %j',
    async ({ replays, turnEvents }) => {
      jest.replaceProperty<{ turnEvents: number }, 'turnEvents'>(deliveries, 'turnEvents', turnEvents);
      const far = await startEndpoint((_, response) => void setTimeout(() => response.writeHead(204).end(), 10));
      const replayed = await webhooks.events(
        companyId,
        range(replays).map((n) => 1_000 + n),
      );
      const endpoint = await webhooks.endpoint(companyId, far.url);
      const due = { isReplay: true, nextAttemptAt: new Date(webhooks.clock.now().getTime() - 60_000) };
      const row = { companyId, endpointId: endpoint.id };
      for (const eventId of replayed) await storeDelivery(webhooks.services, row, { eventId, ...due });
      const events = await webhooks.events(
        companyId,
        range(150).map((n) => n % 30),
      );
      await webhooks.serveAll(endpoint);
      const received = far.received.map(({ headers }) => Number(headers['webhook-id']?.slice(4)));
      expect(received).toHaveLength(150 + replays);
      const ofSubject = (subject: number): number[] => received.filter((id) => events.indexOf(id) % 30 === subject);
      expect(range(30).map(ofSubject)).toEqual(range(30).map((subject) => events.filter((_, n) => n % 30 === subject)));
    },
  );

  it('that comes while its endpoint has a turn is sent in it', async () => {
    let respond: () => void = () => undefined;
    const far = await startEndpoint((_, response) => void (respond = () => response.writeHead(204).end()));
    const endpoint = await webhooks.endpoint(companyId, far.url);
    await webhooks.events(companyId, [1]);
    const turn = webhooks.serve(endpoint);
    await eventually(() => far.received.length === 1);
    await webhooks.events(companyId, [2]);
    // Its own wake finds the endpoint taken.
    expect(await webhooks.serve(endpoint)).toEqual({ done: null });
    respond();
    await eventually(() => far.received.length === 2);
    respond();
    await turn;
    expect(await webhooks.reload(endpoint)).toMatchObject({ run: 1 });
  });
});

// Before other tests move the clock, which the package would not accept.
describe('a test and a replay', () => {
  it('are sent as rows that are due: a test with an id of its own, a replay with the id of the event', async () => {
    const far = await startEndpoint();
    const endpoint = await webhooks.endpoint(companyId, far.url, ['client.*']);
    const [eventId = 0] = await webhooks.events(companyId, [5], 'invoice.paid');
    const now = webhooks.clock.now();
    const due = { companyId, endpointId: endpoint.id, status: 'pending', nextAttemptAt: now, createdAt: now } as const;
    const nothing = { responseStatus: null, responseBody: null, errorCode: null, durationMs: null, endedAt: null };

    const test = await WebhookDelivery.create({
      ...due,
      ...nothing,
      eventId: null,
      type: 'webhook.test',
      isReplay: false,
    });
    await WebhookDelivery.create({ ...due, ...nothing, eventId, type: 'invoice.paid', isReplay: true });
    await WebhookDelivery.create({ ...due, ...nothing, eventId: 1, type: 'invoice.paid', isReplay: true });
    await webhooks.serve(endpoint);
    expect(far.received.map(({ headers }) => headers['webhook-id'])).toEqual([`test_${test.id}`, `evt_${eventId}`]);
    for (const { body, headers } of far.received) new Webhook(webhooks.secret).verify(body, headers);
    expect(JSON.parse(far.received[0]?.body ?? '')).toEqual({
      type: 'webhook.test',
      timestamp: now.toISOString(),
      data: {
        ...{ id: null, type: 'webhook.test', createdAt: now.toISOString(), actor: null, requestId: null },
        ...{ subject: { type: 'webhook_endpoint', id: endpoint.id }, data: {} },
      },
    });
    expect(await webhooks.deliveries(endpoint)).toMatchObject([
      { status: 'delivered', attempts: 1, isReplay: false },
      { status: 'delivered', attempts: 1, isReplay: true },
      { status: 'failed', attempts: 0, isReplay: true, errorCode: 'event_missing' },
    ]);
  });
});

describe('a delivery that fails', () => {
  it('is retried after 5 s, 30 s, 2 min, 10 min, 1 h, 4 h, 12 h, 24 h and 24 h with the same id, and has then failed', async () => {
    const far = await startEndpoint(respondWith(503, 'not now'));
    const endpoint = await webhooks.endpoint(companyId, far.url);
    const [eventId = 0] = await webhooks.events(companyId, [1]);
    const hour = 3_600;
    for (const seconds of [5, 30, 120, 600, hour, 4 * hour, 12 * hour, 24 * hour, 24 * hour]) {
      await webhooks.serve(endpoint);
      const [delivery] = await webhooks.deliveries(endpoint);
      const delay = ((delivery?.nextAttemptAt?.getTime() ?? 0) - webhooks.clock.now().getTime()) / 1_000;
      expect(delivery).toMatchObject({ status: 'pending', responseStatus: 503, responseBody: 'not now' });
      expect(delay).toBeGreaterThan(seconds * 0.99 - 1);
      expect(delay).toBeLessThanOrEqual(seconds * 1.1);
      const before = far.received.length;
      await webhooks.serve(endpoint);
      expect(far.received).toHaveLength(before);
      webhooks.clock.moveTo(delivery?.nextAttemptAt ?? new Date());
    }
    await webhooks.serve(endpoint);
    const [delivery] = await webhooks.deliveries(endpoint);
    expect(delivery).toMatchObject({ status: 'failed', attempts: 10, nextAttemptAt: null });
    expect(delivery?.endedAt).toBeInstanceOf(Date);
    expect(new Set(far.received.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([`evt_${eventId}`]));
    const timestamps = far.received.map(({ headers }) => Number(headers['webhook-timestamp']));
    expect((timestamps.at(-1) ?? 0) - (timestamps[0] ?? 0)).toBeGreaterThan(65 * hour);
  });

  it('is delivered by a later attempt, which clears the failures of the endpoint', async () => {
    const far = await startEndpoint(respondWith(500));
    const endpoint = await webhooks.endpoint(companyId, far.url);
    await webhooks.events(companyId, [1]);
    await webhooks.serve(endpoint);
    expect(await webhooks.reload(endpoint)).toMatchObject({ failures: 1, failingSince: expect.any(Date) as Date });
    far.respond(respondWith(202));
    webhooks.clock.moveOn(6_000);
    await webhooks.serve(endpoint);
    expect(await webhooks.deliveries(endpoint)).toMatchObject([
      { status: 'delivered', attempts: 2, responseStatus: 202 },
    ]);
    expect(await webhooks.reload(endpoint)).toMatchObject({ failures: 0, failingSince: null });
  });

  it('without a response has a code that says why', async () => {
    const endpoint = await webhooks.endpoint(companyId, `http://127.0.0.1:${await closedPort()}/`);
    await webhooks.events(companyId, [1]);
    await webhooks.serve(endpoint);
    expect(await webhooks.deliveries(endpoint)).toMatchObject([
      { status: 'pending', attempts: 1, responseStatus: null, responseBody: null, errorCode: 'connection_refused' },
    ]);
  });

  it.each([301, 302, 307, 308, 400, 401, 404, 429, 500])('with status %d is retried', async (status) => {
    const far = await startEndpoint(respondWith(status));
    const endpoint = await webhooks.endpoint(companyId, far.url);
    await webhooks.events(companyId, [1]);
    await webhooks.serve(endpoint);
    expect(await webhooks.deliveries(endpoint)).toMatchObject([{ status: 'pending', responseStatus: status }]);
  });

  it('does not keep other events of its subject back', async () => {
    const far = await startEndpoint(
      (_, response) => void response.writeHead(far.received.length === 1 ? 500 : 204).end(),
    );
    const endpoint = await webhooks.endpoint(companyId, far.url);
    await webhooks.events(companyId, [1, 1, 1]);
    await webhooks.serve(endpoint);
    const statuses = (await webhooks.deliveries(endpoint)).map(({ status }) => status);
    expect(statuses).toEqual(['pending', 'delivered', 'delivered']);
  });

  it('leaves its endpoint one request at a time after three failures, and ten after the next success', async () => {
    // On a slow machine a turn would end before ten requests are on the way.
    jest.replaceProperty<{ turnMs: number }, 'turnMs'>(deliveries, 'turnMs', 120_000);
    let status = 500;
    let held: (() => void)[] = [];
    let open = 0;
    const opened: number[] = [];
    // The first ten requests are responded to together: they are on the way at the same time.
    const far = await startEndpoint((_, response) => {
      opened.push(++open);
      const respond = (): void => {
        open -= 1;
        response.writeHead(status).end();
      };
      if (opened.length > 10) return respond();
      held.push(respond);
      if (held.length === 10) held.forEach((one) => one());
    });
    const endpoint = await webhooks.endpoint(companyId, far.url);
    await webhooks.events(companyId, range(40));
    await webhooks.serveAll(endpoint);
    expect(Math.max(...opened.slice(0, 10))).toBe(10);
    expect(opened.slice(-20)).toEqual(Array<number>(20).fill(1));
    status = 204;
    held = [];
    let seen = 0;
    webhooks.clock.moveOn(6_000);
    far.respond((_, response) => {
      seen += 1;
      held.push(() => response.writeHead(status).end());
      // The first alone, then the others of the first batch together.
      if (seen >= 2 && seen < 10) return;
      for (const one of held.splice(0)) one();
    });
    await webhooks.serveAll(endpoint);
    expect(seen).toBe(40);
    expect((await webhooks.deliveries(endpoint)).map(({ status: one }) => one)).toEqual(Array(40).fill('delivered'));
  });
});

describe('an endpoint that responds with 410', () => {
  it('is disabled, which is an event; its pending deliveries have failed, and it is sent nothing more', async () => {
    const far = await startEndpoint(respondWith(500));
    const endpoint = await webhooks.endpoint(companyId, far.url);
    await webhooks.events(companyId, [1, 2]);
    await webhooks.serve(endpoint);
    far.respond(respondWith(410));
    webhooks.clock.moveOn(6_000);
    await webhooks.serve(endpoint);
    expect(await webhooks.reload(endpoint)).toMatchObject({ enabled: false, disabledReason: 'gone' });
    const statuses = (await webhooks.deliveries(endpoint)).map(({ status, nextAttemptAt }) => [status, nextAttemptAt]);
    expect(statuses).toEqual([
      ['failed', null],
      ['failed', null],
    ]);
    const events = await Event.findAll({
      where: { companyId, type: 'webhook_endpoint.disabled', subjectId: endpoint.id },
    });
    expect(events.map(({ subjectType, data, actor }) => [subjectType, data, actor])).toEqual([
      ['webhook_endpoint', '{"types":["*"],"description":"","enabled":false}', 'webhooks'],
    ]);
    const sent = far.received.length;
    await webhooks.events(companyId, [3]);
    await webhooks.serve(endpoint);
    expect(far.received).toHaveLength(sent);
  });
});

describe('an endpoint that only fails', () => {
  it('is paused after five days, which is an event', async () => {
    const far = await startEndpoint(respondWith(500));
    const endpoint = await webhooks.endpoint(companyId, far.url);
    await webhooks.events(companyId, [1]);
    await webhooks.serve(endpoint);
    const { failingSince } = await webhooks.reload(endpoint);
    webhooks.clock.moveOn(5 * 86_400_000 - 60_000);
    await webhooks.serve(endpoint);
    expect(await webhooks.reload(endpoint)).toMatchObject({ enabled: true, failures: 2, failingSince });
    webhooks.clock.moveOn(120_000);
    await webhooks.serve(endpoint);
    expect(await webhooks.reload(endpoint)).toMatchObject({ enabled: false, disabledReason: 'failing', failingSince });
    const events = await Event.findAll({
      where: { companyId, type: 'webhook_endpoint.paused', subjectId: endpoint.id },
    });
    expect(events.map(({ data }) => JSON.parse(data) as object)).toEqual([
      { types: ['*'], description: '', enabled: false, failingSince: failingSince?.toISOString() },
    ]);
    expect(await webhooks.deliveries(endpoint)).toMatchObject([{ status: 'failed' }]);
  });

  it('is not paused if something succeeded in between', async () => {
    const far = await startEndpoint(respondWith(500));
    const endpoint = await webhooks.endpoint(companyId, far.url);
    for (const status of [500, 204, 500]) {
      far.respond(respondWith(status));
      await webhooks.events(companyId, [1]);
      await webhooks.serve(endpoint);
      webhooks.clock.moveOn(3 * 86_400_000);
    }
    await webhooks.serve(endpoint);
    expect(await webhooks.reload(endpoint)).toMatchObject({ enabled: true });
  });
});

describe('an endpoint that was disabled or deleted', () => {
  it.each([{ enabled: false }, { softDelete: true }])(
    'is sent nothing, and its pending deliveries end: %j',
    async (change) => {
      const far = await startEndpoint(respondWith(500));
      const endpoint = await webhooks.endpoint(companyId, far.url);
      await webhooks.events(companyId, [1]);
      await webhooks.serve(endpoint);
      await endpoint.update(change);
      await webhooks.events(companyId, [2]);
      webhooks.clock.moveOn(6_000);
      await webhooks.serve(endpoint);
      expect(far.received).toHaveLength(1);
      expect(await webhooks.deliveries(endpoint)).toMatchObject([
        { status: 'failed', attempts: 1, nextAttemptAt: null },
      ]);
    },
  );

  /** Disabled endpoints with so many deliveries that are retried later. */
  async function stopped(count: number, deliveries: number, of = companyId): Promise<WebhookEndpoint[]> {
    const [eventId] = await webhooks.events(of, [1]);
    const endpoints = [];
    for (let index = 0; index < count; index++) {
      const endpoint = await webhooks.endpoint(of, 'http://x/');
      const row = {
        companyId: of,
        endpointId: endpoint.id,
        eventId,
        type: 'x',
        isReplay: false,
        status: 'pending',
        attempts: 1,
      };
      const facts = { ...row, nextAttemptAt: new Date('2100-01-01'), createdAt: new Date() };
      await WebhookDelivery.bulkCreate(Array.from({ length: deliveries }, () => facts) as never);
      endpoints.push(await endpoint.update({ enabled: false }));
    }
    return endpoints;
  }
  const countOf = (endpoints: WebhookEndpoint[], status: 'pending' | 'failed'): Promise<number> =>
    WebhookDelivery.count({ where: { companyId, endpointId: endpoints.map(({ id }) => id), status } });

  it('ends its deliveries a thousand at a time, one endpoint after the other', async () => {
    const endpoints = await stopped(2, 1_500);
    let [running, most] = [0, 0];
    const perform = webhooks.services.perform.bind(webhooks.services);
    jest.spyOn(webhooks.services, 'perform').mockImplementation(async (scope, work) => {
      most = Math.max(most, (running += 1));
      return perform(scope, work).finally(() => (running -= 1));
    });
    await Promise.all(endpoints.flatMap((endpoint) => [webhooks.serve(endpoint), webhooks.serve(endpoint)]));
    expect(most).toBe(1);
    expect(await countOf(endpoints, 'failed')).toBe(3_000);
  });

  it('ends its deliveries by turns with those of another company, however many endpoints that has', async () => {
    const [other] = (await stopped(1, 1, await webhooks.company())) as [WebhookEndpoint];
    const endpoints = await stopped(2, 1_001);
    const order: number[] = [];
    const perform = webhooks.services.perform.bind(webhooks.services);
    jest.spyOn(webhooks.services, 'perform').mockImplementation((scope, work) => {
      order.push(scope.companyId);
      return perform(scope, work);
    });
    await Promise.all([...endpoints, other].map((endpoint) => webhooks.serve(endpoint)));
    expect(order.slice(0, 2)).toContain(other.companyId);
  });

  it('and is enabled again meanwhile keeps the deliveries that are left', async () => {
    const [endpoint] = (await stopped(1, 1_500)) as [WebhookEndpoint];
    const perform = webhooks.services.perform.bind(webhooks.services);
    jest.spyOn(webhooks.services, 'perform').mockImplementationOnce(async (scope, work) => {
      const result = await perform(scope, work);
      await endpoint.update({ enabled: true });
      return result;
    });
    await webhooks.serve(endpoint);
    expect(await countOf([endpoint], 'pending')).toBe(500);
  });

  it.each([{ enabled: false }, { softDelete: true }])(
    'within a turn is sent nothing after the current batch: %j',
    async (change) => {
      const far = await startEndpoint();
      const endpoint = await webhooks.endpoint(companyId, far.url);
      far.respond((_, response) => {
        if (far.received.length === 50) void endpoint.update(change).then(() => response.writeHead(500).end());
        else response.writeHead(204).end();
      });
      await webhooks.events(companyId, range(900));
      await webhooks.serve(endpoint);
      expect(far.received.length).toBeLessThanOrEqual(400);
      const rows = await webhooks.deliveries(endpoint);
      expect(rows.filter(({ status }) => status === 'pending')).toEqual([]);
      expect(rows.filter(({ responseStatus }) => responseStatus === 500)).toMatchObject([
        { attempts: 1, status: 'failed' },
      ]);
      // A request that was under way on a busy machine may have timed out.
      expect(rows.filter(({ attempts }) => attempts > 0).length).toBeGreaterThanOrEqual(far.received.length);
    },
  );

  it.each([{ enabled: false }, { softDelete: true }])(
    'while its last request is on the way has no delivery that waits for a retry: %j',
    async (change) => {
      const far = await startEndpoint();
      const endpoint = await webhooks.endpoint(companyId, far.url);
      far.respond((_, response) => void endpoint.update(change).then(() => response.writeHead(500).end()));
      await webhooks.events(companyId, [1]);
      await webhooks.serve(endpoint);
      expect(await webhooks.deliveries(endpoint)).toMatchObject([
        { status: 'failed', attempts: 1, responseStatus: 500, nextAttemptAt: null },
      ]);
    },
  );
});

test.each([
  ['new', 204, 0],
  ['due for a retry', 500, 1],
])('events of 80 KB that are %s › are not read together with many that do not fit', async (_, first, inVain) => {
  let status = first;
  const far = await startEndpoint((_request, response) => void response.writeHead(status).end());
  const endpoint = await webhooks.endpoint(companyId, far.url);
  await webhooks.events(companyId, range(40));
  await webhooks.services.sql.run(`UPDATE events SET data = ? WHERE companyId = ? ORDER BY seq DESC LIMIT 40`, [
    JSON.stringify({ notes: 'n'.repeat(80_000) }),
    companyId,
  ]);
  if (first === 500) await webhooks.serveAll(endpoint);
  status = 204;

  let tooLarge = 0;
  const { services } = webhooks;
  const rowsWithin: Sql['rowsWithin'] = async (...args) => {
    const rows = await services.sql.rowsWithin<never>(...args);
    if (rows === null) tooLarge += 1;
    return rows;
  };
  const worker = webhooks.another({ ...services, sql: { ...services.sql, rowsWithin } });
  if (first === 500) webhooks.clock.moveOn(10_000);
  let turns = 0;
  while ((await webhooks.deliveries(endpoint)).filter((one) => one.status === 'delivered').length < 40) {
    await worker.serve(endpoint);
    turns += 1;
  }
  expect(tooLarge).toBeLessThanOrEqual(inVain * turns);
});

test('endpoints without a slot are deferred, and each costs their company a millisecond of the event loop', async () => {
  const charge = jest.spyOn(LoopShare.prototype, 'charge');
  const outcomes = await Promise.all(range(20).map((n) => webhooks.serve({ companyId, id: 1_000_000_000 + n })));
  const deferred = outcomes.filter((outcome) => 'delayMs' in outcome);
  expect(deferred.length).toBeGreaterThan(10);
  expect(charge.mock.calls).toEqual(deferred.map(() => [companyId, 1]));
});
