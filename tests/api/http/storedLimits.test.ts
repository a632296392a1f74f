import { metricsText } from '../../../shared/engine/metrics/metrics';
import { cleanUp } from '../../../shared/schedules/cleanUp';
import { MovableClock } from '../../support/clock';
import { createCompany, createExpense } from '../../support/factories';
import { createEndpoint, storeDelivery } from '../../support/webhooks';
import { startApi, type Caller, type TestApi } from '../../support/server';

const DAY_MS = 86_400_000;
const clock = new MovableClock();
let api: TestApi;
let companyId: number;
let caller: Caller;

beforeAll(async () => {
  const env = { MAX_API_KEYS: '3', MAX_WEBHOOK_ENDPOINTS: '2', MAX_CATEGORIES: '2', MAX_IDEMPOTENCY_KEYS: '100' };
  api = await startApi({ env: { ...env, MAX_IDEMPOTENCY_MB: '1' }, clock });
});
beforeEach(async () => {
  const company = await createCompany(api.services);
  companyId = company.companyId;
  caller = api.as(company.token);
});

let made = 0;
const kinds = [
  { limit: 'api_keys', path: '/api/api-keys', most: 3, present: 1, body: () => ({ name: 'CI' }) },
  {
    ...{ limit: 'webhook_endpoints', path: '/api/webhook-endpoints', most: 2, present: 0 },
    body: () => ({ url: 'https://shop.example.com/' }),
  },
  { limit: 'categories', path: '/api/categories', most: 2, present: 0, body: () => ({ name: `Travel ${++made}` }) },
] as const;

/** Waits until no two records end in the same millisecond as the next clean-up looks at. */
const later = (): void => clock.moveOn(30 * DAY_MS + 1);

async function refusals(limit: string): Promise<number> {
  const line = (await metricsText())
    .split('\n')
    .find((one) => one.startsWith(`invoicing_limit_reached_total{limit="${limit}"}`));
  return Number(line?.split(' ')[1] ?? 0);
}

describe.each(kinds)('$limit', ({ limit, path, most, present, body }) => {
  const create = () => caller.post(path).send(body());

  test('20 concurrent creates at the last place › one succeeds, the others are 409 limit_reached and are counted', async () => {
    for (let count = present; count < most - 1; count++) await create().expect(201);
    const before = await refusals(limit);
    const responses = await Promise.all(Array.from({ length: 20 }, () => create()));
    const statuses = responses.map(({ status }) => status).sort();
    expect(statuses).toEqual([201, ...Array.from({ length: 19 }, () => 409)]);
    const refused = responses.find(({ status }) => status === 409);
    expect(refused?.body).toMatchObject({
      code: 'limit_reached',
      detail: expect.stringContaining(String(most)) as string,
    });
    expect((await refusals(limit)) - before).toBe(19);
    const [row] = await api.services.sql.rows<{ count: number }>(
      `SELECT COUNT(*) AS count FROM ${limit} WHERE companyId = ?`,
      [companyId],
    );
    expect(row?.count).toBe(most);
  });

  test('ending one makes room; a loop of creating and ending is refused, until ended ones are removed 30 days later', async () => {
    for (let count = present; count < most - 1; count++) await create().expect(201);
    let status = 0;
    let ended = -1;
    while (status !== 409 && ended < 100) {
      const response = await create();
      ({ status } = response);
      if (status === 201) await caller.delete(`${path}/${(response.body as { id: number }).id}`).expect(200);
      ended++;
    }
    // With those that have not ended, ten times the limit.
    expect(ended).toBe(most * 10 - (most - 1));
    clock.moveOn(29 * DAY_MS);
    await cleanUp(api.services);
    await create().expect(409);
    later();
    await cleanUp(api.services);
    await create().expect(201);
    await create().expect(409);
  });
});

test('a deleted category that an expense has stays; so do keys, endpoints and categories that have not ended', async () => {
  const category = (await caller.post('/api/categories').send({ name: 'Used' })).body as { id: number };
  await createExpense(api.services, companyId, { categoryId: category.id });
  await caller.delete(`/api/categories/${category.id}`).expect(200);
  await caller.post('/api/categories').send({ name: 'Kept' }).expect(201);
  await caller.post('/api/webhook-endpoints').send({ url: 'https://shop.example.com/' }).expect(201);
  const deleted = await createEndpoint(api.services, companyId);
  await storeDelivery(api.services, { companyId, endpointId: deleted.id });
  await caller.delete(`/api/webhook-endpoints/${deleted.id}`).expect(200);
  const expiring = await caller.post('/api/api-keys').send({ expiresAt: new Date(clock.now().getTime() + DAY_MS) });
  clock.moveOn(DAY_MS);
  later();
  await cleanUp(api.services);
  const count = async (table: string): Promise<number> => {
    const rows = await api.services.sql.rows(`SELECT id FROM ${table} WHERE companyId = ?`, [companyId]);
    return rows.length;
  };
  expect([await count('categories'), await count('webhook_endpoints'), await count('api_keys')]).toEqual([2, 1, 1]);
  expect(await count('webhook_deliveries')).toBe(0);
  const { body } = await caller.get('/api/api-keys').expect(200);
  expect((body as { data: { id: number }[] }).data.map(({ id }) => id)).not.toContain(
    (expiring.body as { id: number }).id,
  );
  expect((await caller.get('/api/expenses').expect(200)).text).toContain('Used');
});

describe('idempotency keys', () => {
  const post = (key: string, to = caller) => to.post('/api/clients').set('Idempotency-Key', key).send({ name: 'N' });

  test('beyond the limit › 409 limit_reached, and nothing is done; repeats still get their responses; freed after 24 hours', async () => {
    const first = await post('first').expect(201);
    for (let count = 1; count < 99; count++) await post(`key ${count}`).expect(201);
    // A refused request gives its key back.
    await caller.post('/api/clients').set('Idempotency-Key', 'refused').send({}).expect(400);
    const last = await Promise.all(Array.from({ length: 8 }, (_, index) => post(`last ${index}`)));
    expect(last.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 7 }, () => 409)]);
    expect(last.find(({ status }) => status === 409)?.body).toMatchObject({ code: 'limit_reached' });
    const replayed = await post('first').expect(201);
    expect(replayed.headers['idempotent-replayed']).toBe('true');
    expect(replayed.body).toEqual(first.body);
    const { body } = await caller.get('/api/clients?limit=1').expect(200);
    expect(body).toMatchObject({ total: 100 });
    await caller.post('/api/clients').send({ name: 'without a key' }).expect(201);

    // Counting has cost no statement. What this process has counted is there for the next one.
    expect(await api.services.sql.rows('SELECT * FROM idempotency_usage')).toEqual([]);
    await api.services.idempotencyUsage.close();
    await post('after a restart').expect(409);
    const other = await createCompany(api.services);
    await post('first', api.as(other.token)).expect(201);
    clock.moveOn(25 * 3_600_000);
    await cleanUp(api.services);
    await post('a day later').expect(201);
  });

  test('their responses have a limit too', async () => {
    const address = 'x'.repeat(1_000);
    const big = (key: string) =>
      caller
        .post('/api/clients')
        .set('Idempotency-Key', key)
        .send({ name: '\u{1F600}'.repeat(100), address });
    await big('one').expect(201);
    api.services.idempotencyUsage.add(companyId, 0, 1024 * 1024 - 2_000);
    const { body } = await big('two').expect(409);
    expect(body).toMatchObject({ code: 'limit_reached', detail: expect.stringContaining('1 MiB') as string });
  });
});
