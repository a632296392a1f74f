import { Company, IdempotencyKey, Job } from '../../../shared/models';
import { createClient, createCompany, createInvoice, invoiceInput } from '../../support/factories';
import { startApi, type Caller, type TestApi } from '../../support/server';

let api: TestApi;
let caller: Caller;
let token: string;
let companyId: number;
let clientId: number;

beforeAll(async () => {
  api = await startApi();
});

beforeEach(async () => {
  const company = await createCompany(api.services);
  ({ companyId, token } = company);
  caller = api.as(token);
  clientId = (await createClient(api.services, companyId)).id;
});

const post = (path: string, body: object | undefined, key = 'key'): ReturnType<Caller['post']> =>
  caller.post(path).set('Idempotency-Key', key).send(body);
const total = async (): Promise<number> => ((await caller.get('/api/invoices')).body as { total: number }).total;

describe('Idempotency-Key › the same request again', () => {
  test('a create › gets the same bytes and headers, and done once', async () => {
    const first = await post('/api/invoices', invoiceInput(clientId)).expect(201);
    const again = await post('/api/invoices', invoiceInput(clientId)).expect(201);
    expect(again.text).toBe(first.text);
    const shown = ['location', 'etag', 'content-type'].map((name) => first.headers[name] as string);
    expect(shown.every((value) => value !== undefined)).toBe(true);
    expect(['location', 'etag', 'content-type'].map((name) => again.headers[name] as string)).toEqual(shown);
    expect([first.headers['idempotent-replayed'], again.headers['idempotent-replayed']]).toEqual([undefined, 'true']);
    expect(again.headers['x-request-id']).not.toBe(first.headers['x-request-id']);
    expect(await total()).toBe(1);
  });

  test('a response of 1,000 items and 10,000 emoji › is replayed whole', async () => {
    const items = Array.from({ length: 1_000 }, () => ({ description: 'ü'.repeat(200), quantity: 1, unitPrice: 1 }));
    const body = invoiceInput(clientId, { items, notes: '🧾'.repeat(10_000) });
    const first = await post('/api/invoices', body).expect(201);
    expect((await post('/api/invoices', body).expect(201)).text).toBe(first.text);
  });

  test('after the record has changed › is still the stored response', async () => {
    const first = await post('/api/invoices', invoiceInput(clientId)).expect(201);
    await caller.delete(first.headers['location'] ?? '').expect(200);
    expect((await post('/api/invoices', invoiceInput(clientId)).expect(201)).text).toBe(first.text);
  });

  test('another order of the fields › is the same request', async () => {
    const body = invoiceInput(clientId, { items: [{ description: 'x', quantity: 1, unitPrice: '1' }] });
    const reordered = Object.fromEntries(Object.entries(body).reverse());
    reordered['items'] = [{ unitPrice: '1', quantity: 1, description: 'x' }];
    const first = await post('/api/invoices', body).expect(201);
    const again = await post('/api/invoices', reordered).expect(201);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(again.text).toBe(first.text);
  });

  test('no body and an empty object › are the same request', async () => {
    const { id } = await createInvoice(api.services, companyId, { clientId });
    const send = (body?: object): ReturnType<Caller['post']> =>
      post(`/api/invoices/${id}/send-email`, body).set('Prefer', 'respond-async');
    const first = await send().expect(202);
    const again = await send({}).expect(202);
    expect([again.text, again.headers['location']]).toEqual([first.text, first.headers['location']]);
    expect(await Job.count({ where: { companyId } })).toBe(1);
  });
});

describe('Idempotency-Key › another request', () => {
  test.each([
    ['another value', { notes: 'other' }],
    ['another type of the same value', { taxRate: '10' }],
    ['one more field', { status: 'draft' }],
    ['another order of items', undefined],
  ] as const)('%s › 422, and nothing is done', async (_, changes) => {
    const items = [1, 2].map((n) => ({ description: `item ${n}`, quantity: n, unitPrice: '1.00' }));
    const body = invoiceInput(clientId, { items });
    await post('/api/invoices', body).expect(201);
    const other = changes ? { ...body, ...changes } : { ...body, items: [...items].reverse() };
    const response = await post('/api/invoices', other).expect(422);
    expect(response.body).toMatchObject({ code: 'idempotency_key_reused' });
    expect(await total()).toBe(1);
  });

  test('another path › 422', async () => {
    const ids = [await createInvoice(api.services, companyId), await createInvoice(api.services, companyId)];
    const [a, b] = ids.map(({ id }) => `/api/invoices/${id}/send-email`);
    await post(a ?? '', undefined)
      .set('Prefer', 'respond-async')
      .expect(202);
    await post(b ?? '', undefined)
      .set('Prefer', 'respond-async')
      .expect(422);
  });

  test('the same key of another company › is another key', async () => {
    const first = await post('/api/invoices', invoiceInput(clientId)).expect(201);
    const other = await createCompany(api.services);
    const theirs = await createClient(api.services, other.companyId);
    const response = await api
      .as(other.token)
      .post('/api/invoices')
      .set('Idempotency-Key', 'key')
      .send(invoiceInput(theirs.id))
      .expect(201);
    expect(response.headers['idempotent-replayed']).toBeUndefined();
    expect(response.headers['location']).not.toBe(first.headers['location']);
  });

  test('keys that differ in case › are different keys', async () => {
    await post('/api/invoices', invoiceInput(clientId), 'Key').expect(201);
    await post('/api/invoices', invoiceInput(clientId), 'key').expect(201);
    expect(await total()).toBe(2);
  });

  test('PUT, GET and DELETE › take no notice of the key', async () => {
    const { id } = await createInvoice(api.services, companyId, { clientId });
    for (const notes of ['a', 'b']) {
      const { body } = await caller.put(`/api/invoices/${id}`).set('Idempotency-Key', 'k').send({ notes }).expect(200);
      expect(body).toMatchObject({ notes });
    }
    expect(await IdempotencyKey.count({ where: { companyId } })).toBe(0);
  });
});

describe('Idempotency-Key › what is stored', () => {
  test('a 409 that the state decided › is replayed, also when the state has changed', async () => {
    const { id } = await createInvoice(api.services, companyId, { clientId, status: 'cancelled' });
    const path = `/api/invoices/${id}/send-email`;
    const first = await post(path, undefined).expect(409);
    await caller.put(`/api/invoices/${id}`).send({ status: 'sent' }).expect(200);
    const again = await post(path, undefined).expect(409);
    expect(again.text).toBe(first.text);
    expect(again.headers['content-type']).toBe('application/problem+json; charset=utf-8');
    expect(again.headers['idempotent-replayed']).toBe('true');
  });

  test.each([
    ['404', async () => post('/api/invoices/0/send-email', undefined)],
    ['404', async () => withoutSender()],
    ['400', async () => withoutAddress()],
    ['409', async () => duplicateNumber()],
  ])('a %s that the state decided › is stored', async (status, request) => {
    const { status: responded } = await request();
    expect(String(responded)).toBe(status);
    const [row] = await IdempotencyKey.findAll({ where: { companyId } });
    expect(String(row?.responseStatus)).toBe(status);
  });
  const withoutSender = async (): Promise<{ status: number }> => {
    await Company.update({ email: null }, { where: { id: companyId } });
    return post(`/api/invoices/${(await createInvoice(api.services, companyId)).id}/send-email`, undefined);
  };
  const withoutAddress = async (): Promise<{ status: number }> => {
    const silent = await createClient(api.services, companyId, { email: null });
    const { id } = await createInvoice(api.services, companyId, { clientId: silent.id });
    return post(`/api/invoices/${id}/send-email`, undefined);
  };
  const duplicateNumber = async (): Promise<{ status: number }> => {
    await createInvoice(api.services, companyId, { invoiceNumber: 'dup' });
    return post('/api/invoices', invoiceInput(clientId, { invoiceNumber: 'dup' }));
  };

  test.each([
    ['an unknown field', { foo: 1 }],
    ['dates in the wrong order', { dueDate: '2020-01-01' }],
    ['an unknown client', { clientId: 2 ** 40 }],
  ])('a validation failure (%s) › is not: the corrected request may use the key', async (_, wrong) => {
    await post('/api/invoices', { ...invoiceInput(clientId), ...wrong }).expect(400);
    const { headers } = await post('/api/invoices', invoiceInput(clientId)).expect(201);
    expect(headers['idempotent-replayed']).toBeUndefined();
  });

  test('401 and 403 › are not', async () => {
    const key = { 'Idempotency-Key': 'key' };
    await api.as('inv_wrong').post('/api/invoices').set(key).send(invoiceInput(clientId)).expect(401);
    const reader = await createCompany(api.services, { scopes: ['read'] });
    await api.as(reader.token).post('/api/invoices').set(key).send(invoiceInput(clientId)).expect(403);
    expect(await IdempotencyKey.count({ where: { companyId: [companyId, reader.companyId] } })).toBe(0);
  });

  test.each(['', 'x'.repeat(256), 'ключ'])('the key "%s" › 400', async (key) => {
    const response = await fetch(`${api.url}/api/invoices`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${token}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': Buffer.from(key).toString('latin1'),
      },
      body: JSON.stringify(invoiceInput(clientId)),
    });
    expect([response.status, await response.json()]).toMatchObject([400, { code: 'invalid_idempotency_key' }]);
  });

  test('a key of 255 characters › is one', async () => {
    for (let n = 0; n < 2; n++) await post('/api/invoices', invoiceInput(clientId), 'k'.repeat(255)).expect(201);
    expect(await total()).toBe(1);
  });
});
