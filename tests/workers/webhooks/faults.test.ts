import { leases } from '../../../config/queues';
import { WebhookDelivery } from '../../support/models';
import type { WebhookEndpoint } from '../../../shared/webhooks/WebhookEndpoint';
import { readEndpoint, claimEndpoint, type EndpointRow } from '../../../workers/webhooks/endpointRow';
import { LeaseConnection, type EndpointRunId } from '../../../workers/jobs/LeaseConnection';
import { recordTurn, type TurnRecord } from '../../../workers/webhooks/recordTurn';
import { readNew } from '../../../workers/webhooks/readShipments';
import { LeaseLost } from '../../../workers/jobs/JobRun';
import { toSqlTime } from '../../../shared/engine/db/sql';
import { eventually } from '../../support/eventually';
import { installation, openTestServices } from '../../support/installation';
import { startTcpProxy } from '../../support/tcpProxy';
import { workOf } from '../../support/work';
import { closedPort, startEndpoint } from './localEndpoint';
import { Webhooks } from './Webhooks';

let webhooks: Webhooks;
let companyId: number;
beforeAll(async () => {
  webhooks = await Webhooks.open({ env: { WEBHOOK_TIMEOUT_MS: '5000' } });
  companyId = await webhooks.company();
});

const range = (length: number): number[] => Array.from({ length }, (_, index) => index);
const idsOf = (received: readonly { headers: Record<string, string> }[]): number[] =>
  received.map(({ headers }) => Number(headers['webhook-id']?.slice(4)));

test('2,000 events while the endpoint is down › all arrive when it is up, each once, and have one row each', async () => {
  const port = await closedPort();
  const endpoint = await webhooks.endpoint(companyId, `http://127.0.0.1:${port}/`);
  const events: number[] = [];
  for (let part = 0; part < 4; part++) events.push(...(await webhooks.events(companyId, range(500))));
  await webhooks.serveAll(endpoint);
  const failed = await webhooks.deliveries(endpoint);
  expect(failed).toHaveLength(2_000);
  expect(new Set(failed.map(({ status, errorCode }) => `${status} ${errorCode}`))).toEqual(
    new Set(['pending connection_refused']),
  );
  const far = await startEndpoint(undefined, port);
  await webhooks.serveRetries(endpoint);
  expect(idsOf(far.received).sort((one, other) => one - other)).toEqual(events);
  const rows = await webhooks.deliveries(endpoint);
  expect(rows.map(({ eventId }) => eventId)).toEqual(events);
  expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(['delivered']));
});

test('an endpoint that does not respond › its attempts are seen as pending meanwhile, and time out', async () => {
  const far = await startEndpoint(() => undefined);
  const endpoint = await webhooks.endpoint(companyId, far.url);
  const events = await webhooks.events(companyId, [1, 2]);
  const turn = webhooks.serve(endpoint);
  const open = await eventually(async () => {
    const rows = await webhooks.deliveries(endpoint);
    return rows.length === 2 ? rows : null;
  });
  expect(open).toMatchObject(events.map((eventId) => ({ eventId, status: 'pending', attempts: 0 })));
  expect(await webhooks.reload(endpoint)).toMatchObject({ position: events[1] });
  await turn;
  expect(await webhooks.deliveries(endpoint)).toMatchObject(
    open.map(({ id }) => ({ id, status: 'pending', attempts: 1, errorCode: 'timed_out' })),
  );
});

test('a process that was frozen for longer than its lease › another one sends the event, and the first records nothing', async () => {
  const responses: (() => void)[] = [];
  const far = await startEndpoint((_, response) => void responses.push(() => response.writeHead(204).end()));
  const endpoint = await webhooks.endpoint(companyId, far.url);
  const [eventId = 0] = await webhooks.events(companyId, [1]);
  const frozen = webhooks.serve(endpoint);
  await eventually(() => responses.length === 1);
  webhooks.clock.moveOn(6_000);
  const other = webhooks.another().serve(endpoint);
  await eventually(() => responses.length === 2);
  responses.forEach((respond) => respond());
  await Promise.all([frozen, other]);
  expect(idsOf(far.received)).toEqual([eventId, eventId]);
  expect(await webhooks.deliveries(endpoint)).toMatchObject([{ eventId, status: 'delivered', attempts: 1 }]);
  expect(await webhooks.reload(endpoint)).toMatchObject({ run: 2, position: eventId, leaseUntil: null });
});

describe('a record of a turn', () => {
  test('whose requests go on › reads the rows that it inserts, however many deliveries are pending', async () => {
    const { services, clock } = webhooks;
    const endpoint = await webhooks.endpoint(companyId, 'http://127.0.0.1:9/');
    await services.sql.run(
      `INSERT INTO webhook_deliveries (companyId, endpointId, type, isReplay, status, nextAttemptAt, createdAt)
        WITH RECURSIVE hundred AS (SELECT 0 AS i UNION ALL SELECT i + 1 FROM hundred WHERE i < 99)
        SELECT ?, ?, 'invoice.updated', 1, 'pending', '2100-01-01', ? FROM hundred a, hundred b`,
      [companyId, endpoint.id, toSqlTime(clock.now())],
    );
    await webhooks.events(companyId, [1, 2]);
    const row = await readEndpoint(services.sql, endpoint);
    const turn = row && (await claimEndpoint(services.sql, row, clock.now()));
    if (row === null || turn === null) throw new Error('not claimed');
    const { shipments, readTo: to } = await readNew(services.sql, row, row.position, 100);
    const record = { from: row.position, to, disable: null, isLast: false, retries: [] };
    const accepted = { status: 204, responseBody: '', error: null, durationMs: 1 };
    const events = shipments.map((event, at) => ({ ...event, isStarted: true, attempt: at === 0 ? accepted : null }));
    const health = { failures: 0, failingSince: null };
    await services.perform({ companyId, actor: 'webhooks' }, async (uow) => {
      const { read } = await workOf(uow.sql, async () => {
        const { rows } = await recordTurn(uow, turn, { ...record, health, events });
        expect([...rows.keys()]).toEqual([events[1]?.eventId]);
      });
      expect(read).toBeLessThan(100);
    });
  });
});

describe('the lease of an endpoint', () => {
  const claim = async (endpoint: WebhookEndpoint): Promise<{ turn: EndpointRunId | null; row: EndpointRow }> => {
    const { services, clock } = webhooks;
    const row = await readEndpoint(services.sql, endpoint);
    if (row === null) throw new Error('no endpoint');
    return { turn: await claimEndpoint(services.sql, row, clock.now()), row };
  };
  /** Records what has happened since the turn's claim, in a turn that goes on. */
  const record = async ({ turn, row }: Awaited<ReturnType<typeof claim>>) => {
    const { services } = webhooks;
    if (turn === null) throw new Error('not claimed');
    const { shipments, readTo: to } = await readNew(services.sql, row, row.position, 100);
    const attempt = { status: 204, responseBody: '', error: null, durationMs: 1 };
    return services.perform({ companyId, actor: 'webhooks' }, (uow) =>
      recordTurn(uow, turn, {
        ...{ from: row.position, to, disable: null, isLast: false, retries: [] },
        health: { failures: 0, failingSince: null },
        events: shipments.map((event) => ({ ...event, isStarted: true, attempt })),
      }),
    );
  };

  test('while it runs › nobody else has a turn, also after a part of the turn was recorded', async () => {
    const far = await startEndpoint();
    const endpoint = await webhooks.endpoint(companyId, far.url);
    await webhooks.events(companyId, [1]);
    const first = await claim(endpoint);
    expect((await claim(endpoint)).turn).toBeNull();
    await webhooks.another().serve(endpoint);
    await record(first);
    webhooks.clock.moveOn(leases.leaseMs - 500);
    await webhooks.events(companyId, [2]);
    expect((await claim(endpoint)).turn).toBeNull();
    await webhooks.another().serve(endpoint);
    expect(far.received).toEqual([]);
    expect(await webhooks.reload(endpoint)).toMatchObject({ run: 1 });
  });

  test('that records renew › is not renewed beside them, where it could find its row locked', async () => {
    const far = await startEndpoint(({ headers }, response) => {
      const ms = Number(headers['webhook-id']?.slice(4)) === slow ? leases.leaseMs * 0.7 : 200;
      setTimeout(() => response.writeHead(204).end(), ms);
    });
    const endpoint = await webhooks.endpoint(companyId, far.url);
    const [slow, ...others] = await webhooks.events(companyId, [1, ...Array<number>(30).fill(2)]);
    const renewals = jest.spyOn(LeaseConnection.prototype, 'renewEndpoint');
    await webhooks.serve(endpoint);
    expect(idsOf(far.received)).toContain(slow);
    expect(idsOf(far.received)).toContain(others[5]);
    expect(renewals).not.toHaveBeenCalled();
  });

  test('when it has ended › another turn begins, and the first records nothing, though nothing else has changed', async () => {
    const endpoint = await webhooks.endpoint(companyId, 'http://127.0.0.1:1/');
    await webhooks.events(companyId, [1]);
    const first = await claim(endpoint);
    webhooks.clock.moveOn(leases.leaseMs + 1);
    const second = await claim(endpoint);
    expect(second.turn).toEqual({ companyId, id: endpoint.id, run: 2 });
    const before = await webhooks.reload(endpoint);
    await expect(record(first)).rejects.toThrow(LeaseLost);
    expect((await webhooks.reload(endpoint)).get()).toEqual(before.get());
    expect(await webhooks.deliveries(endpoint)).toEqual([]);
    await record(second);
    expect(await webhooks.deliveries(endpoint)).toHaveLength(1);
  });
});

test('two processes at the same time › one of them has the turn', async () => {
  const far = await startEndpoint();
  const endpoint = await webhooks.endpoint(companyId, far.url);
  const events = await webhooks.events(companyId, range(50));
  const others = range(4).map(() => webhooks.another());
  await Promise.all([webhooks, ...others].map((one) => one.serve(endpoint)));
  expect(idsOf(far.received).sort((one, other) => one - other)).toEqual(events);
  expect(await webhooks.deliveries(endpoint)).toHaveLength(50);
});

test('the confirmation of a commit is lost › the same record once more changes nothing', async () => {
  const far = await startEndpoint();
  const endpoint = await webhooks.endpoint(companyId, far.url);
  await webhooks.events(companyId, range(3));
  const { services, clock } = webhooks;
  const row = await readEndpoint(services.sql, endpoint);
  if (row === null) throw new Error('no endpoint');
  const turn = await claimEndpoint(services.sql, row, clock.now());
  if (turn === null) throw new Error('not claimed');
  const { shipments: events, readTo: to } = await readNew(services.sql, row, row.position, 100);
  const attempt = { status: 204, responseBody: '', error: null, durationMs: 1 };
  const [first, ...open] = events.map((event) => ({ ...event, isStarted: true }));
  if (first === undefined) throw new Error('no event');
  const record: TurnRecord = {
    ...{ from: row.position, to, disable: null, isLast: false, retries: [] },
    health: { failures: 0, failingSince: null },
    events: [{ ...first, attempt }, ...open],
  };
  const perform = () => services.perform({ companyId, actor: 'webhooks' }, (uow) => recordTurn(uow, turn, record));
  const recorded = await perform();
  expect(recorded.rows.size).toBe(2);
  expect(await perform()).toEqual(recorded);
  expect(await WebhookDelivery.count({ where: { endpointId: endpoint.id } })).toBe(3);
  // A turn that came later.
  await endpoint.reload();
  await endpoint.update({ run: endpoint.run + 1 });
  await expect(perform()).rejects.toThrow(LeaseLost);
});

describe('a process that is to stop', () => {
  test('with time › requests that are on the way are recorded, and no other is begun', async () => {
    const far = await startEndpoint();
    const endpoint = await webhooks.endpoint(companyId, far.url);
    const events = await webhooks.events(companyId, range(500));
    const stopping = webhooks.another();
    far.respond((_, response) => {
      if (far.received.length === 30) stopping.draining.abort();
      response.writeHead(204).end();
    });
    await stopping.serve(endpoint);
    const sent = far.received.length;
    expect(sent).toBeLessThan(50);
    expect(await WebhookDelivery.count({ where: { endpointId: endpoint.id, status: 'delivered' } })).toBe(sent);
    // Another process goes on where it has stopped.
    await webhooks.serveAll(endpoint);
    expect(idsOf(far.received).sort((one, other) => one - other)).toEqual(events);
  });

  test('without time › an attempt that was cut off does not count, and another process sends the event at once', async () => {
    const far = await startEndpoint(() => undefined);
    const endpoint = await webhooks.endpoint(companyId, far.url);
    const [eventId = 0] = await webhooks.events(companyId, [1]);
    const stopping = webhooks.another();
    const turn = stopping.serve(endpoint);
    await eventually(() => far.received.length === 1);
    stopping.draining.abort();
    stopping.stopping.abort();
    await turn;
    expect(await webhooks.deliveries(endpoint)).toMatchObject([{ eventId, status: 'pending', attempts: 0 }]);
    expect(await webhooks.reload(endpoint)).toMatchObject({ leaseUntil: null, failures: 0 });
    far.respond((_, response) => void response.writeHead(204).end());
    await webhooks.serve(endpoint);
    expect(await webhooks.deliveries(endpoint)).toMatchObject([{ eventId, status: 'delivered', attempts: 1 }]);
  });
});

test('MySQL is unreachable when an outcome is to be recorded › it is recorded when MySQL is back, and nothing is sent again', async () => {
  const { DATABASE_URL = '' } = await installation();
  const mysql = await startTcpProxy(DATABASE_URL);
  const services = await openTestServices({
    env: { DATABASE_URL: mysql.url, WEBHOOK_ALLOW_PRIVATE: 'true', WEBHOOK_TIMEOUT_MS: '5000' },
    clock: webhooks.clock,
  });
  const behind = webhooks.another(services);
  const far = await startEndpoint();
  const endpoint = await webhooks.endpoint(companyId, far.url);
  const [eventId = 0] = await webhooks.events(companyId, [1]);
  far.respond((_, response) => {
    mysql.cut();
    response.writeHead(204).end(() => setTimeout(() => mysql.restore(), 300));
  });
  await behind.serve(endpoint);
  expect(idsOf(far.received)).toEqual([eventId]);
  // Services that were opened later own the models: read by statements.
  const rows = await webhooks.services.sql.rows(
    'SELECT eventId, status, attempts FROM webhook_deliveries WHERE endpointId = ?',
    [endpoint.id],
  );
  expect(rows).toEqual([{ eventId, status: 'delivered', attempts: 1 }]);
});
