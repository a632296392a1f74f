import Ajv2020, { type AnySchema } from 'ajv/dist/2020';
import { routes } from '../../api/routes';
import {
  createCategory,
  createClient,
  createCompany,
  createExpense,
  createInvoice,
  createKey,
  expenseInput,
  invoiceInput,
} from '../support/factories';
import { png } from '../support/images';
import { runAllSchedules } from '../support/schedules';
import { startApi, type Caller, type TestApi } from '../support/server';

interface Operation {
  operationId: string;
  parameters: { name: string; in: string }[];
  requestBody?: { content: Record<string, { schema: AnySchema }> };
  responses: Record<string, { content?: Record<string, { schema: AnySchema }> }>;
}
interface Document {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, AnySchema> };
}

let api: TestApi;
let caller: Caller;
let companyId: number;
let clientId: number;
let contract: Document;

beforeAll(async () => {
  api = await startApi({ env: { JOB_WAIT_MS: '20' } });
  const company = await createCompany(api.services);
  companyId = company.companyId;
  caller = api.as(company.token);
  clientId = (await createClient(api.services, companyId)).id;
  contract = (await api.as().get('/openapi.json').expect(200)).body as Document;
});

/** Formats and keywords of our own are for people here; the types, fields and patterns are checked. */
function problemsWith(schema: AnySchema, value: unknown): unknown {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
  ajv.addSchema({ $id: 'openapi', components: contract.components });
  const text = JSON.stringify(schema).replaceAll('"#/components', '"openapi#/components');
  const validate = ajv.compile(JSON.parse(text) as AnySchema);
  return validate(value) ? [] : validate.errors;
}

function operation(method: string, path: string): Operation {
  const found = contract.paths[path]?.[method];
  if (found === undefined) throw new Error(`${method} ${path} is not documented`);
  return found;
}

function expectDocumented(
  [method, path]: [string, string],
  response: { status: number; body: unknown; headers: Record<string, string> },
): void {
  const documented = operation(method, path).responses[response.status]?.content;
  const [type = ''] = String(response.headers['content-type']).split(';');
  expect([path, response.status, Object.keys(documented ?? {})]).toEqual([path, response.status, [type]]);
  expect([path, problemsWith(documented?.[type]?.schema ?? false, response.body)]).toEqual([path, []]);
}

describe('the OpenAPI document', () => {
  test('is OpenAPI 3.1, public, and names every route of the service once', () => {
    expect(contract.openapi).toMatch(/^3\.1\./);
    const documented = Object.entries(contract.paths)
      .filter(([path]) => path.startsWith('/api/'))
      .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`));
    expect(documented.sort()).toEqual(routes.map(({ method, path }) => `${method} ${path}`).sort());
    const ids = Object.values(contract.paths).flatMap((methods) => Object.values(methods).map((o) => o.operationId));
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('every endpoint of the expense interface › is there with its parameters and defaults', () => {
    const query = operation('get', '/api/expenses').parameters.filter((parameter) => parameter.in === 'query');
    expect(query.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        ...['page', 'limit', 'sortBy', 'sortOrder', 'status', 'category', 'startDate', 'endDate', 'search'],
        ...['vendorId', 'currency', 'includeDeleted'],
      ]),
    );
    const defaults = { page: 1, limit: 10, sortBy: 'expenseDate', sortOrder: 'desc' };
    for (const [name, value] of Object.entries(defaults)) {
      expect(query.find((parameter) => parameter.name === name)).toMatchObject({ schema: { default: value } });
    }
    for (const method of ['get', 'put', 'delete']) {
      expect(operation(method, '/api/expenses/{id}').responses).toHaveProperty('404');
    }
    expect(operation('post', '/api/expenses').responses).toHaveProperty('201');
  });

  test('every endpoint of the invoice interface › is there with its parameters', () => {
    const query = (method: string, path: string): string[] =>
      operation(method, path)
        .parameters.filter((parameter) => parameter.in === 'query')
        .map(({ name }) => name);
    expect(query('get', '/api/invoices')).toEqual(
      expect.arrayContaining(['page', 'limit', 'sortBy', 'sortOrder', 'status', 'search']),
    );
    for (const [method, path] of [
      ['post', '/api/invoices'],
      ['get', '/api/invoices/{id}'],
      ['put', '/api/invoices/{id}'],
      ['delete', '/api/invoices/{id}'],
      ['post', '/api/invoices/{id}/send-email'],
      ['post', '/api/invoices/{id}/create-gateway-invoice'],
      ['get', '/api/invoices/{id}/pdf'],
    ] as const) {
      expect(operation(method, path).responses).toHaveProperty('401');
    }
  });

  test('successes › have exactly the documented fields', async () => {
    const created = await caller.post('/api/invoices').send(invoiceInput(clientId)).expect(201);
    const path = created.headers['location'] ?? '';
    expectDocumented(['post', '/api/invoices'], created);
    expectDocumented(['get', '/api/invoices'], await caller.get('/api/invoices').expect(200));
    expectDocumented(['get', '/api/invoices/{id}'], await caller.get(path).expect(200));
    expectDocumented(['put', '/api/invoices/{id}'], await caller.put(path).send({ notes: 'x' }).expect(200));
    const accepted = await caller.post(`${path}/send-email`).expect(202);
    expectDocumented(['post', '/api/invoices/{id}/send-email'], accepted);
    const link = await caller.post(`${path}/create-gateway-invoice`).expect(202);
    expectDocumented(['post', '/api/invoices/{id}/create-gateway-invoice'], link);
    expectDocumented(['get', '/api/jobs/{id}'], await caller.get(accepted.headers['location'] ?? '').expect(200));
    expectDocumented(['delete', '/api/invoices/{id}'], await caller.delete(path).expect(200));
  });

  test('successes of expenses › have exactly the documented fields', async () => {
    const categoryId = (await createCategory(api.services, companyId)).id;
    const created = await caller.post('/api/expenses').send(expenseInput(categoryId)).expect(201);
    const path = created.headers['location'] ?? '';
    const full = { vendorId: 1, receiptUrl: 'https://x.example/r', recurring: 'monthly' };
    expectDocumented(['post', '/api/expenses'], created);
    for (const changes of [{}, full]) {
      expectDocumented(['put', '/api/expenses/{id}'], await caller.put(path).send(changes).expect(200));
      expectDocumented(['get', '/api/expenses/{id}'], await caller.get(path).expect(200));
      expectDocumented(['get', '/api/expenses'], await caller.get('/api/expenses').expect(200));
    }
    expectDocumented(['delete', '/api/expenses/{id}'], await caller.delete(path).expect(200));
  });

  test('successes of occurrences and receipts › have exactly the documented fields', async () => {
    const expense = await createExpense(api.services, companyId, { expenseDate: '2020-01-31', recurring: 'monthly' });
    const invoice = await createInvoice(api.services, companyId, { clientId, recurring: 'daily' });
    await runAllSchedules(api.services);
    for (const [kind, id] of Object.entries({ expenses: expense.id, invoices: invoice.id })) {
      const shown = await caller.get(`/api/${kind}/${id}/occurrences?next=2`).expect(200);
      expect(shown.body).toMatchObject({ upcoming: [expect.any(String), expect.any(String)] });
      expectDocumented(['get', `/api/${kind}/{id}/occurrences`], shown);
    }
    const stored = await caller.post('/api/receipts').attach('file', png(), 'a.png').expect(201);
    expectDocumented(['post', '/api/receipts'], stored);
    const file = await caller.get(stored.headers['location'] ?? '').expect(200);
    const documented = operation('get', '/api/receipts/{id}').responses[200]?.content ?? {};
    expect(Object.keys(documented)).toContain(file.headers['content-type']);
    expectDocumented(['get', '/api/receipts/{id}'], await caller.get('/api/receipts/0').expect(404));
    const refused = await caller.post('/api/receipts').attach('file', Buffer.from('text'), 'a.png').expect(400);
    expectDocumented(['post', '/api/receipts'], refused);
  });

  test('failures of expenses › are documented, and problems', async () => {
    const path = `/api/expenses/${(await createExpense(api.services, companyId)).id}`;
    expectDocumented(['post', '/api/expenses'], await caller.post('/api/expenses').send({}).expect(400));
    expectDocumented(['get', '/api/expenses'], await caller.get('/api/expenses?status=x').expect(400));
    expectDocumented(['get', '/api/expenses/{id}'], await caller.get('/api/expenses/0').expect(404));
    for (const method of ['put', 'delete'] as const) {
      const to: [string, string] = [method, '/api/expenses/{id}'];
      expectDocumented(to, await caller[method]('/api/expenses/0').expect(404));
      expectDocumented(to, await caller[method](path).set('If-Match', '"x"').expect(412));
    }
  });

  test('failures › are documented, and problems', async () => {
    const { id } = await createInvoice(api.services, companyId, { clientId, status: 'cancelled' });
    const path = `/api/invoices/${id}`;
    const reader = api.as((await createKey(api.services, companyId, { scopes: ['read'] })).token);
    const put: [string, string] = ['put', '/api/invoices/{id}'];
    const send: [string, string] = ['post', '/api/invoices/{id}/send-email'];
    expectDocumented(put, await caller.put(path).send({ foo: 1 }).expect(400));
    expectDocumented(put, await api.as().put(path).send({}).expect(401));
    expectDocumented(put, await reader.put(path).send({}).expect(403));
    expectDocumented(put, await caller.put('/api/invoices/0').send({}).expect(404));
    expectDocumented(put, await caller.put(path).set('If-Match', '"x"').send({}).expect(412));
    expectDocumented(put, await caller.put(path).type('text/plain').send('x').expect(415));
    expectDocumented(
      put,
      await caller
        .put(path)
        .send({ notes: 'x'.repeat(1_100_000) })
        .expect(413),
    );
    expectDocumented(['delete', '/api/invoices/{id}'], await caller.delete(path).set('If-Match', '"x"').expect(412));
    expectDocumented(send, await caller.post(`${path}/send-email`).set('Idempotency-Key', 'k').expect(409));
    expectDocumented(send, await caller.post('/api/invoices/0/send-email').set('Idempotency-Key', 'k').expect(422));
    expectDocumented(['get', '/api/invoices'], await caller.get('/api/invoices?page=0').expect(400));
    const pdf = await caller.get(`/api/invoices/${id}/pdf`).expect(503);
    expectDocumented(['get', '/api/invoices/{id}/pdf'], pdf);
  });

  test('documented request bodies › accept what create accepts, and name no other field', () => {
    const schema = operation('post', '/api/invoices').requestBody?.content['application/json']?.schema ?? false;
    expect(problemsWith(schema, invoiceInput(1))).toEqual([]);
    expect(problemsWith(schema, { ...invoiceInput(1), tax_rate: 1 })).not.toEqual([]);
    expect(problemsWith(schema, { ...invoiceInput(1), items: [] })).not.toEqual([]);
  });

  test('the documented body of an expense › accepts what create accepts, a string for the amount not', () => {
    const schema = operation('post', '/api/expenses').requestBody?.content['application/json']?.schema ?? false;
    expect(problemsWith(schema, expenseInput(1, { vendorId: null, receiptUrl: null, nextDueDate: null }))).toEqual([]);
    for (const bad of [{ amount: '1.00' }, { vendor: '' }, { tax: 1 }, { categoryId: undefined }]) {
      const body: unknown = JSON.parse(JSON.stringify({ ...expenseInput(1), ...bad }));
      expect(problemsWith(schema, body)).not.toEqual([]);
    }
  });
});
