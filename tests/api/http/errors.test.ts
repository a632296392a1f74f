import { Company } from '../../../shared/models';
import { createClient, createCompany, createInvoice, createKey, invoiceInput } from '../../support/factories';
import { startApi, type Caller, type TestApi } from '../../support/server';

let api: TestApi;
let caller: Caller;
let reader: Caller;
let companyId: number;
let clientId: number;

beforeAll(async () => {
  api = await startApi();
  const company = await createCompany(api.services);
  companyId = company.companyId;
  caller = api.as(company.token);
  reader = api.as((await createKey(api.services, companyId, { scopes: ['read'] })).token);
  clientId = (await createClient(api.services, companyId)).id;
});

const create = async (changes: object = {}): Promise<number> =>
  (await createInvoice(api.services, companyId, { clientId, ...changes })).id;

describe('the shape of an error', () => {
  test('a validation failure › is a problem with the fields that are wrong', async () => {
    const response = await caller.put('/api/invoices/1').send({ tax_rate: 1, taxRate: 'x' }).expect(400);
    const message = 'tax_rate is not a known field; taxRate must be a decimal with at most four places';
    const detail = expect.stringContaining(message) as string;
    expect(response.headers['content-type']).toBe('application/problem+json; charset=utf-8');
    expect(response.body).toEqual({
      type: 'about:blank',
      title: 'Bad Request',
      status: 400,
      code: 'validation_failed',
      detail,
      message: (response.body as { detail: string }).detail,
      errors: [
        { path: 'tax_rate', message: 'is not a known field' },
        { path: 'taxRate', message: expect.stringContaining('decimal') as string },
      ],
      requestId: response.headers['x-request-id'],
    });
  });

  test('any other error › has no errors', async () => {
    const { body, headers } = await caller.get('/api/invoices/999999').expect(404);
    expect(body).toEqual({
      type: 'about:blank',
      title: 'Not Found',
      status: 404,
      code: 'not_found',
      detail: 'invoice not found',
      message: 'invoice not found',
      requestId: headers['x-request-id'],
    });
  });

  test('a fault of ours › 500 that reveals nothing of it', async () => {
    const broken = await startApi();
    const secret = 'SELECT secret FROM /var/lib/mysql';
    broken.services.sql.rows = () => Promise.reject(new Error(secret));
    const { body, text, headers } = await broken.as('inv_x').get('/api/invoices').expect(500);
    expect(text).not.toMatch(/secret|mysql|stack|\.ts/i);
    expect(body).toMatchObject({
      title: 'Internal Server Error',
      code: 'internal_error',
      requestId: headers['x-request-id'],
    });
  });
});

describe('X-Request-Id', () => {
  test.each([
    ['/api/invoices', 200],
    ['/api/invoices/999999', 404],
    ['/nowhere', 404],
    ['/healthz', 200],
  ])('%s › has one of its own', async (path, status) => {
    const ids = [await caller.get(path).expect(status), await caller.get(path)].map((r) =>
      String(r.headers['x-request-id']),
    );
    expect(ids[0]).toMatch(/^[\w-]{36}$/);
    expect(ids[1]).not.toBe(ids[0]);
  });

  test('a plain one of the caller › is kept; any other is replaced', async () => {
    const given = await caller.get('/api/invoices/0').set('X-Request-Id', 'order-7:a.b_c').expect(404);
    expect(given.headers['x-request-id']).toBe('order-7:a.b_c');
    expect(given.body).toMatchObject({ requestId: 'order-7:a.b_c' });
    for (const bad of ['<script>', 'a b', 'x'.repeat(129), '{}']) {
      const { headers } = await caller.get('/healthz').set('X-Request-Id', bad);
      expect(headers['x-request-id']).toMatch(/^[\w-]{36}$/);
    }
  });
});

describe('the table of errors', () => {
  const cases: [number, string, () => PromiseLike<{ status: number; body: unknown }>][] = [
    [400, 'malformed_json', () => caller.post('/api/invoices').type('json').send('{"a":')],
    [400, 'validation_failed', () => caller.post('/api/invoices').send({ ...invoiceInput(clientId), foo: 1 })],
    [400, 'validation_failed', () => caller.get('/api/invoices?page=x')],
    [400, 'invalid_id', () => caller.get('/api/invoices/abc')],
    [400, 'invalid_id', () => caller.put('/api/invoices/-1').send({})],
    [400, 'invalid_id', () => caller.delete('/api/invoices/1.5')],
    [400, 'invalid_id', () => caller.get('/api/jobs/0x1')],
    [401, 'unauthorized', () => api.as().get('/api/invoices')],
    [403, 'insufficient_scope', () => reader.post('/api/invoices').send({})],
    [404, 'route_not_found', () => caller.get('/api/nowhere')],
    [404, 'not_found', () => caller.get('/api/invoices/0')],
    [404, 'not_found', () => caller.put('/api/invoices/99999999999999999999999').send({})],
    [404, 'not_found', () => caller.get('/api/jobs/99999999999999999999999')],
    [405, 'method_not_allowed', () => caller.patch('/api/invoices/1')],
    [409, 'duplicate_invoice_number', () => duplicate()],
    [
      412,
      'precondition_failed',
      async () =>
        caller
          .put(`/api/invoices/${await create()}`)
          .set('If-Match', '"x"')
          .send({}),
    ],
    [413, 'body_too_large', () => caller.post('/api/invoices').send({ notes: 'x'.repeat(1024 * 1024) })],
    [415, 'unsupported_media_type', () => caller.post('/api/invoices').type('text/plain').send('x')],
    [422, 'idempotency_key_reused', () => reused()],
  ];
  const duplicate = async (): Promise<{ status: number; body: unknown }> => {
    await create({ invoiceNumber: 'dup' });
    return caller.post('/api/invoices').send({ ...invoiceInput(clientId), invoiceNumber: 'dup' });
  };
  const reused = async (): Promise<{ status: number; body: unknown }> => {
    const post = (): ReturnType<Caller['post']> => caller.post('/api/invoices').set('Idempotency-Key', 'reused');
    await post().send(invoiceInput(clientId)).expect(201);
    return post().send(invoiceInput(clientId, { notes: 'other' }));
  };

  test.each(cases)('%s %s › gets this status and code', async (status, code, request) => {
    const response = await request();
    expect([response.status, response.body]).toEqual([status, expect.objectContaining({ status, code })]);
  });

  test.each([
    ['/api/invoices', 'patch', 'GET, HEAD, POST'],
    ['/api/invoices/1', 'post', 'DELETE, GET, HEAD, PUT'],
    ['/api/invoices/abc', 'post', 'DELETE, GET, HEAD, PUT'],
    ['/api/invoices/1/send-email', 'get', 'POST'],
    ['/api/invoices/1/create-gateway-invoice', 'put', 'POST'],
    ['/api/invoices/1/pdf', 'delete', 'GET, HEAD'],
    ['/healthz', 'post', 'GET, HEAD'],
    ['/webhooks/gateway/xendit', 'get', 'POST'],
  ] as const)('%s with %s › 405 with Allow: %s', async (path, method, allow) => {
    const { headers, body } = await caller[method](path).expect(405);
    expect(headers['allow']).toBe(allow);
    expect(body).toMatchObject({ detail: `${method.toUpperCase()} is not allowed here, only ${allow}` });
  });

  test.each([
    '/',
    '/api',
    '/api/',
    '/apix/invoices',
    '/api/invoices/1/nope',
    '/api/invoices//',
    '//api/invoices',
    '/API/invoices',
    '/api/Invoices',
  ])('%s › 404', async (path) => {
    const { body } = await caller.get(path).expect(404);
    expect(body).toMatchObject({ code: 'route_not_found' });
  });
});

describe('the order of checks', () => {
  const tooLarge = 'x'.repeat(1024 * 1024 + 1);
  const rising: [string, number, () => PromiseLike<{ status: number }>][] = [
    ['no key, unknown route, bad body', 401, () => api.as().post('/api/nowhere').type('text/plain').send('x')],
    ['lacking scope, unknown route, bad body', 403, () => reader.post('/api/nowhere').type('text/plain').send('x')],
    ['lacking scope, other method', 403, () => reader.patch('/api/invoices')],
    ['unknown route, bad body', 404, () => caller.post('/api/nowhere').type('text/plain').send(tooLarge)],
    ['other method, bad body', 405, () => caller.patch('/api/invoices').type('text/plain').send('x')],
    ['other type, too large', 415, () => caller.post('/api/invoices').type('text/plain').send(tooLarge)],
    ['too large, malformed', 413, () => caller.post('/api/invoices').type('json').send(`{${tooLarge}`)],
    ['too large, bad id', 413, () => caller.put('/api/invoices/abc').send({ notes: tooLarge })],
    ['other type, bad id', 415, () => caller.put('/api/invoices/abc').type('xml').send('<a/>')],
    ['unknown field, unknown record', 400, () => caller.put('/api/invoices/0').send({ foo: 1 })],
    ['unknown client, unknown record', 400, () => caller.put('/api/invoices/0').send({ clientId: 2 ** 40 })],
    [
      'dates in the wrong order, unknown record',
      400,
      () => caller.put('/api/invoices/0').send({ issueDate: '2026-01-02', dueDate: '2026-01-01' }),
    ],
    [
      'subtotal below 0, unknown record',
      400,
      () => caller.put('/api/invoices/0').send({ items: [{ description: 'x', quantity: 1, unitPrice: -1 }] }),
    ],
    ['unknown field, old version', 400, async () => put(await create(), { foo: 1 })],
    ['unknown record, old version', 404, () => put(0, {})],
    ['old version, used number', 412, async () => put(await create(), { invoiceNumber: await numberOf() })],
  ];
  const put = (id: number, body: object): ReturnType<Caller['put']> =>
    caller.put(`/api/invoices/${id}`).set('If-Match', '"old"').send(body);
  const numberOf = async (): Promise<string> => {
    await create({ invoiceNumber: 'used' });
    return 'used';
  };

  test.each(rising)('%s › %s', async (_, status, request) => {
    expect((await request()).status).toBe(status);
  });

  test('a used idempotency key › 400 of the body first, then 422, before the record’s 404', async () => {
    const post = (path: string): ReturnType<Caller['post']> => caller.post(path).set('Idempotency-Key', 'order');
    await post('/api/invoices').send(invoiceInput(clientId)).expect(201);
    await post('/api/invoices').send({ foo: 1 }).expect(400);
    await post('/api/invoices')
      .send(invoiceInput(clientId, { dueDate: '2020-01-01' }))
      .expect(400);
    await post('/api/invoices/0/send-email').expect(422);
  });

  test('send-email › the invoice’s 404, then cancelled, then the sender, then the address', async () => {
    const company = await createCompany(api.services, { email: null });
    const silent = await createClient(api.services, company.companyId, { email: null });
    const { id } = await createInvoice(api.services, company.companyId, { clientId: silent.id, status: 'cancelled' });
    const theirs = api.as(company.token);
    const send = async (invoice: number): Promise<unknown[]> => {
      const { status, body } = await theirs.post(`/api/invoices/${invoice}/send-email`);
      return [status, (body as { code: string }).code];
    };
    expect(await send(0)).toEqual([404, 'not_found']);
    expect(await send(id)).toEqual([409, 'invoice_cancelled']);
    await theirs.put(`/api/invoices/${id}`).send({ status: 'sent' }).expect(200);
    expect(await send(id)).toEqual([404, 'sender_not_found']);
    await Company.update({ email: 'a@b.example' }, { where: { id: company.companyId } });
    expect(await send(id)).toEqual([400, 'client_without_email']);
  });
});
