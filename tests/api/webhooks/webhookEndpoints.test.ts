import type { Scope } from '../../../shared/apiKeys/scopes';
import { IdempotencyKey, WebhookEndpoint } from '../../../shared/models';
import { Event, WebhookDelivery } from '../../support/models';
import { newestEvent } from '../../../shared/engine/events/feed';
import { signingSecrets } from '../../../shared/webhooks';
import { MovableClock } from '../../support/clock';
import { numberAll } from '../../support/sequencer';
import { createClient, createCompany, createKey } from '../../support/factories';
import { startApi, type Caller, type TestApi } from '../../support/server';
import { createEndpoint, storeDelivery } from '../../support/webhooks';

interface EndpointBody {
  id: number;
  url: string;
  types: string[];
  enabled: boolean;
  secret: string;
  createdAt: string;
  updatedAt: string;
}

const HOUR_MS = 3_600_000;
const path = '/api/webhook-endpoints';
const url = 'https://receiver.example/events?key=planted-secret';
const clock = new MovableClock();
let api: TestApi;
let companyId: number;
let caller: Caller;

beforeAll(async () => {
  api = await startApi({ clock });
});
beforeEach(async () => {
  const company = await createCompany(api.services);
  companyId = company.companyId;
  caller = api.as(company.token);
});

const stored = (id: number): Promise<WebhookEndpoint> =>
  WebhookEndpoint.findOne({ where: { companyId, id }, rejectOnEmpty: true });
const eventsOf = async (id: number): Promise<{ type: string; data: unknown }[]> =>
  (await Event.findAll({ where: { companyId, subjectType: 'webhook_endpoint', subjectId: id }, order: ['id'] })).map(
    ({ type, data }) => ({ type, data: JSON.parse(data) as unknown }),
  );
const create = async (body: object = {}): Promise<EndpointBody> =>
  (
    await caller
      .post(path)
      .send({ url, ...body })
      .expect(201)
  ).body as EndpointBody;
const problemsOf = (body: unknown): string[] => (body as { errors: { path: string }[] }).errors.map((e) => e.path);

describe('creating a webhook endpoint', () => {
  test('shows a secret, which is stored encrypted and shown by nothing else', async () => {
    const { body, headers } = await caller.post(path).send({ url }).expect(201);
    const { id, secret, createdAt } = body as EndpointBody;
    const shown = {
      id,
      url,
      types: ['*'],
      description: '',
      enabled: true,
      disabledReason: null,
      failingSince: null,
      previousSecretUntil: null,
      softDelete: false,
      createdAt,
      updatedAt: createdAt,
    };
    expect(body).toEqual({ ...shown, secret });
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(headers['location']).toBe(`${path}/${id}`);

    const read = await caller.get(`${path}/${id}`).expect(200);
    expect(read.body).toEqual(shown);
    expect(read.headers['etag']).toBe(headers['etag']);
    expect((await caller.get(path).expect(200)).body).toMatchObject({ data: [shown], total: 1 });
    const row = await stored(id);
    expect(JSON.stringify(row)).not.toContain(secret.slice(6));
    expect(signingSecrets(api.services.secrets, row, clock.now())).toEqual([secret]);
  });

  test('writes an event without the secret and without the URL, which may have one in it', async () => {
    const { id, secret } = await create({ types: ['invoice.*'] });
    const events = await eventsOf(id);
    expect(events).toEqual([
      { type: 'webhook_endpoint.created', data: { types: ['invoice.*'], description: '', enabled: true } },
    ]);
    expect(JSON.stringify(events)).not.toContain(secret);
    expect(JSON.stringify(events)).not.toContain('planted-secret');
  });

  test('begins after the newest event of the company', async () => {
    await createClient(api.services, companyId);
    await numberAll(api.services);
    const { id } = await create();
    expect((await stored(id)).position).toBe(await newestEvent(api.services.sql, companyId));
    expect((await stored(id)).position).toBeGreaterThan(0);
  });

  test('under an Idempotency-Key › the same caller gets the same secret again, which the database does not hold', async () => {
    const send = () => caller.post(path).set('Idempotency-Key', 'key-1').send({ url });
    const first = await send().expect(201);
    const again = await send().expect(201);
    expect(again.text).toBe(first.text);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(await WebhookEndpoint.count({ where: { companyId } })).toBe(1);
    const kept = await IdempotencyKey.findOne({ where: { companyId }, rejectOnEmpty: true });
    expect(JSON.stringify(kept)).not.toContain((first.body as EndpointBody).secret);
    const other = await createKey(api.services, companyId, { scopes: ['admin'] });
    await api.as(other.token).post(path).set('Idempotency-Key', 'key-1').send({ url }).expect(422);
  });

  test.each([
    'http://receiver.example',
    'https://receiver.example:8443/a/b?c=d',
    'https://münchen.example/ünïcode',
    'https://8.8.8.8/events',
    'https://[2606:4700::1111]/events',
  ])('%s › is accepted, and shown as given', async (given) => {
    expect(await create({ url: given })).toMatchObject({ url: given });
  });

  test.each([
    ['no URL', { url: undefined }, 'url'],
    ['an empty URL', { url: '' }, 'url'],
    ['no string', { url: 1 }, 'url'],
    ['another scheme', { url: 'ftp://receiver.example' }, 'url'],
    ['a file', { url: 'file:///etc/passwd' }, 'url'],
    ['a user in the URL', { url: 'https://user@receiver.example' }, 'url'],
    ['a password in the URL', { url: 'https://user:password@receiver.example' }, 'url'],
    ['a fragment', { url: 'https://receiver.example/#events' }, 'url'],
    ['an empty fragment', { url: 'https://receiver.example/#' }, 'url'],
    ['a space', { url: 'https://receiver.example/a b' }, 'url'],
    ['a line break', { url: 'https://receiver.example/\nHost: other' }, 'url'],
    ['a URL without a host', { url: 'https://' }, 'url'],
    ['2,049 characters', { url: `https://receiver.example/${'a'.repeat(2_024)}` }, 'url'],
    ['no types', { types: [] }, 'types'],
    ['a type twice', { types: ['*', '*'] }, 'types'],
    ['51 types', { types: Array.from({ length: 51 }, (_, index) => `a.${'b'.repeat(index + 1)}`) }, 'types'],
    ['a type that is no name', { types: ['invoice.paid', 'Invoice paid'] }, 'types/1'],
    ['a type that no event has', { types: ['invoice.paid', 'invoice.payed'] }, 'types/1'],
    ['a pattern that no event has', { types: ['bill.*'] }, 'types/0'],
    ['a pattern in the middle', { types: ['invoice.*.created'] }, 'types/0'],
    ['a pattern of a part', { types: ['invoice.p*'] }, 'types/0'],
    ['types between commas', { types: 'invoice.paid,invoice.sent' }, 'types'],
    ['a long description', { description: 'x'.repeat(256) }, 'description'],
    ['a description of two lines', { description: 'a\nb' }, 'description'],
    ['enabled as a string', { enabled: 'true' }, 'enabled'],
    ['a field that is not known', { event: '*' }, 'event'],
  ])('with %s › is refused with 400', async (_what, given, field) => {
    const { body } = await caller
      .post(path)
      .send({ url, ...given })
      .expect(400);
    expect(problemsOf(body)).toContain(field);
    expect(await WebhookEndpoint.count({ where: { companyId } })).toBe(0);
  });

  test.each([
    'http://127.0.0.1/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://10.1.2.3:8080/',
    'http://192.168.0.1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://0.0.0.0/',
    'http://[::1]/',
    'http://[::ffff:10.0.0.1]/',
    'http://[fd00:ec2::254]/',
    'http://localhost:3000/',
    'http://localhost./',
    'http://api.localhost/',
  ])('%s › is refused with 400, on create and update', async (given) => {
    const { body } = await caller.post(path).send({ url: given }).expect(400);
    expect(body).toMatchObject({ errors: [{ path: 'url', message: 'must have a public address' }] });
    const { id } = await create();
    await caller.put(`${path}/${id}`).send({ url: given }).expect(400);
  });

  test('a private address › is accepted with WEBHOOK_ALLOW_PRIVATE=true', async () => {
    const open = await startApi({ env: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
    const { token } = await createCompany(open.services);
    await open.as(token).post(path).send({ url: 'http://127.0.0.1:9/' }).expect(201);
    await open.close();
  });

  test('without SECRETS_KEY › is 503, and nothing is stored', async () => {
    const without = await startApi({ env: { SECRETS_KEY: '' } });
    const company = await createCompany(without.services);
    const { body } = await without.as(company.token).post(path).send({ url }).expect(503);
    expect(body).toMatchObject({ code: 'secrets_unavailable' });
    expect(JSON.stringify(body)).not.toContain('SECRETS_KEY');
    expect(await WebhookEndpoint.count({ where: { companyId: company.companyId } })).toBe(0);
    await without.close();
  });

  test('the 101st of a company › is 409, of concurrent requests too, until one is deleted', async () => {
    const first = await create();
    for (let count = 1; count <= 97; count++) await createEndpoint(api.services, companyId);
    const responses = await Promise.all([1, 2, 3, 4].map(() => caller.post(path).send({ url })));
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409]);
    const refused = responses.find(({ status }) => status === 409);
    expect(refused?.body).toMatchObject({ code: 'limit_reached' });
    await caller.delete(`${path}/${first.id}`).expect(200);
    await create();
  });
});

describe('updating a webhook endpoint', () => {
  test('changes what is given, and says in its event what changed, without the URLs', async () => {
    const { id, secret, ...before } = await create();
    const changes = { url: 'https://other.example/?key=planted-secret', types: ['invoice.paid', 'payment.*'] };
    const { body } = await caller.put(`${path}/${id}`).send(changes).expect(200);
    expect(body).toEqual({ id, ...before, ...changes, updatedAt: (body as EndpointBody).updatedAt });
    const [, updated] = await eventsOf(id);
    expect(updated).toEqual({
      type: 'webhook_endpoint.updated',
      data: {
        types: changes.types,
        description: '',
        enabled: true,
        changed: { types: [['*'], ['invoice.paid', 'payment.*']], url: 'replaced' },
      },
    });
    expect(signingSecrets(api.services.secrets, await stored(id), clock.now())).toEqual([secret]);
  });

  test('what GET and POST returned › can be put back unchanged', async () => {
    const made = await create();
    const { body } = await caller.get(`${path}/${made.id}`).expect(200);
    await caller
      .put(`${path}/${made.id}`)
      .send(body as object)
      .expect(200);
    await caller.put(`${path}/${made.id}`).send(made).expect(200);
    expect((await eventsOf(made.id)).slice(1)).toMatchObject([
      { type: 'webhook_endpoint.updated', data: { changed: {} } },
      { type: 'webhook_endpoint.updated', data: { changed: {} } },
    ]);
  });

  test('another version › is 412', async () => {
    const { id } = await create();
    const { headers } = await caller.get(`${path}/${id}`);
    const put = (tag: string) => caller.put(`${path}/${id}`).set('If-Match', tag).send({ description: 'x' });
    await put(String(headers['etag'])).expect(200);
    await put(String(headers['etag'])).expect(412);
    const current = await caller.get(`${path}/${id}`);
    await stored(id).then((endpoint) => endpoint.update({ failingSince: new Date(0) }));
    expect((await caller.get(`${path}/${id}`)).headers['etag']).not.toBe(current.headers['etag']);
  });

  test('disabled › its pending deliveries end, and a worker that serves it still records what it has sent', async () => {
    const { id } = await create();
    const endpoint = { companyId, endpointId: id };
    const delivered = await storeDelivery(api.services, endpoint, { status: 'delivered', nextAttemptAt: null });
    const pending = await storeDelivery(api.services, endpoint);
    await stored(id).then((row) => row.update({ run: 7, leaseUntil: new Date(Date.now() + 60_000) }));
    expect((await caller.put(`${path}/${id}`).send({ enabled: false }).expect(200)).body).toMatchObject({
      enabled: false,
      disabledReason: null,
    });
    await Promise.all([delivered.reload(), pending.reload()]);
    expect(delivered).toMatchObject({ status: 'delivered', endedAt: null });
    expect(pending).toMatchObject({ status: 'failed', nextAttemptAt: null, errorCode: 'endpoint_disabled' });
    expect(pending.endedAt).toBeInstanceOf(Date);
    expect(await stored(id)).toMatchObject({ run: 7, leaseUntil: expect.any(Date) });
  });

  test('re-enabled › begins after the newest event, as if it had never failed', async () => {
    const { id } = await create();
    const failing = { enabled: false, disabledReason: 'failing', failures: 40, failingSince: new Date(0) } as const;
    await stored(id).then((row) => row.update(failing));
    expect((await caller.get(`${path}/${id}`)).body).toMatchObject({
      enabled: false,
      disabledReason: 'failing',
      failingSince: '1970-01-01T00:00:00.000Z',
    });
    await createClient(api.services, companyId);
    await numberAll(api.services);
    const { body } = await caller.put(`${path}/${id}`).send({ enabled: true }).expect(200);
    expect(body).toMatchObject({ enabled: true, disabledReason: null, failingSince: null });
    expect(await stored(id)).toMatchObject({
      position: await newestEvent(api.services.sql, companyId),
      failures: 0,
      run: 1,
    });
    const [, updated] = await eventsOf(id);
    expect(updated?.data).toMatchObject({ enabled: true, changed: { enabled: [false, true] } });
  });

  test('an enabled one that is enabled › keeps its place', async () => {
    const { id } = await create();
    const { position, run } = await stored(id);
    await createClient(api.services, companyId);
    await numberAll(api.services);
    await caller.put(`${path}/${id}`).send({ enabled: true, description: 'x' }).expect(200);
    expect(await stored(id)).toMatchObject({ position, run });
  });
});

describe('rotating a secret', () => {
  const rotate = async (id: number): Promise<EndpointBody> =>
    (await caller.post(`${path}/${id}/rotate-secret`).expect(200)).body as EndpointBody;
  const signing = async (id: number): Promise<string[]> =>
    signingSecrets(api.services.secrets, await stored(id), clock.now());

  test('the new secret and the one before sign for 24 hours, then the new one alone', async () => {
    const { id, secret: first } = await create();
    const rotated = await rotate(id);
    expect(rotated.secret).toMatch(/^whsec_/);
    expect(rotated.secret).not.toBe(first);
    expect(rotated).toMatchObject({ id, url, previousSecretUntil: expect.any(String) as string });
    expect(await signing(id)).toEqual([rotated.secret, first]);
    clock.moveOn(24 * HOUR_MS - 10_000);
    expect(await signing(id)).toEqual([rotated.secret, first]);
    clock.moveOn(10_001);
    expect(await signing(id)).toEqual([rotated.secret]);
    const events = await eventsOf(id);
    expect(events[1]).toEqual({
      type: 'webhook_endpoint.secret_rotated',
      data: { types: ['*'], description: '', enabled: true },
    });
    expect(events).toHaveLength(2);
  });

  test('twice › the two newest secrets sign', async () => {
    const { id } = await create();
    const second = await rotate(id);
    const third = await rotate(id);
    expect(await signing(id)).toEqual([third.secret, second.secret]);
  });

  test('under an Idempotency-Key › rotates once, and shows the same secret again', async () => {
    const { id } = await create();
    const send = () => caller.post(`${path}/${id}/rotate-secret`).set('Idempotency-Key', 'rotate-1');
    const first = await send().expect(200);
    expect((await send().expect(200)).text).toBe(first.text);
    expect(await eventsOf(id)).toHaveLength(2);
  });

  test('of an endpoint whose secret cannot be decrypted › makes it usable again', async () => {
    const { id } = await create();
    await stored(id).then((row) => row.update({ secret: '00000000.lost' }));
    const { secret } = await rotate(id);
    expect(await signing(id)).toEqual([secret]);
  });
});

describe('deleting a webhook endpoint', () => {
  test('is soft, ends its pending deliveries and disables it', async () => {
    const { id } = await create();
    const pending = await storeDelivery(api.services, { companyId, endpointId: id });
    const { body } = await caller.delete(`${path}/${id}`).expect(200);
    expect(body).toEqual({ message: 'Webhook endpoint deleted successfully' });
    await caller.get(`${path}/${id}`).expect(404);
    await caller.delete(`${path}/${id}`).expect(404);
    expect((await caller.get(`${path}/${id}?includeDeleted=true`).expect(200)).body).toMatchObject({
      softDelete: true,
      enabled: false,
    });
    expect((await caller.get(path)).body).toMatchObject({ total: 0 });
    await pending.reload();
    expect(pending).toMatchObject({ status: 'failed', nextAttemptAt: null });
    expect((await eventsOf(id)).map(({ type }) => type)).toEqual([
      'webhook_endpoint.created',
      'webhook_endpoint.deleted',
    ]);
  });

  test('with more pending deliveries than one transaction ends › the rest is left to the workers', async () => {
    const { id } = await create();
    const one = await storeDelivery(api.services, { companyId, endpointId: id });
    const columns = 'companyId, endpointId, eventId, type, status, nextAttemptAt, createdAt';
    for (let rows = 1; rows < 1_001; rows *= 2) {
      await api.services.sql.run(
        `INSERT INTO webhook_deliveries (${columns}) SELECT ${columns} FROM webhook_deliveries WHERE endpointId = ? LIMIT ${1_001 - rows}`,
        [id],
      );
    }
    await caller.delete(`${path}/${id}`).expect(200);
    const left = await WebhookDelivery.count({ where: { companyId, endpointId: id, status: 'pending' } });
    expect([left, one.companyId]).toEqual([1, companyId]);
  });
});

describe('who may see and change endpoints', () => {
  const requests = (id: number): [string, string, object?][] => [
    ['get', ''],
    ['post', '', { url }],
    ['get', `/${id}`],
    ['put', `/${id}`, {}],
    ['delete', `/${id}`],
    ['post', `/${id}/rotate-secret`],
    ['post', `/${id}/test`],
    ['post', `/${id}/replay`, { after: 0, until: 1 }],
    ['get', `/${id}/deliveries`],
    ['get', `/${id}/deliveries/1`],
    ['post', `/${id}/deliveries/1/replay`],
  ];
  const send = (by: Caller, [method, rest, body]: [string, string, object?]) =>
    by[method as 'post'](`${path}${rest}`).send(body ?? {});

  test.each<[Scope[]]>([[['read']], [['write']]])(
    'scopes %j › are not enough for any operation: 403',
    async (scopes) => {
      const { id } = await create();
      const { token } = await createKey(api.services, companyId, { scopes });
      for (const request of requests(id)) await send(api.as(token), request).expect(403);
    },
  );

  test("another company's › gets the response of one that does not exist, from every operation", async () => {
    const { id } = await create();
    const delivery = await storeDelivery(api.services, { companyId, endpointId: id });
    const before = (await stored(id)).get({ plain: true });
    const other = api.as((await createCompany(api.services)).token);
    const withId = (asked: number, rest: string): string =>
      rest.replace(`/${id}`, `/${asked}`).replace('/deliveries/1', `/deliveries/${delivery.id}`);
    for (const [method, rest, body] of requests(id).filter(([, part]) => part !== '')) {
      const responses = [];
      for (const asked of [id, 999_999]) {
        const { status, body: problem } = await send(other, [method, withId(asked, rest), body]).set(
          'X-Request-Id',
          'x',
        );
        responses.push([status, problem]);
      }
      expect([method, rest, ...(responses[0] as [number])]).toEqual([
        method,
        rest,
        404,
        (responses[1] as unknown[])[1],
      ]);
    }
    expect((await other.get(path)).body).toMatchObject({ total: 0 });
    expect((await stored(id)).get({ plain: true })).toEqual(before);
    expect(await WebhookDelivery.count({ where: { companyId } })).toBe(1);
  });

  test('lists are paged, sorted, and searched by URL and description', async () => {
    await create({ url: 'https://a.example', description: 'Shop' });
    await create({ url: 'https://b.example', description: 'Books' });
    await create({ url: 'https://c.example/shop' });
    const { body } = await caller.get(`${path}?search=SHOP&sortBy=url&sortOrder=asc&limit=1&page=2`).expect(200);
    expect(body).toMatchObject({ data: [{ url: 'https://c.example/shop' }], total: 2, totalPages: 2 });
    await caller.get(`${path}?sortBy=secret`).expect(400);
  });
});
