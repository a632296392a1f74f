import { readFileSync } from 'node:fs';
import Ajv2020, { type AnySchema } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { routes } from '../../../api/routes';
import { eventTypes } from '../../../shared/eventTypes';
import { errorCodes } from '../../../shared/engine/errors';
import {
  createCategory,
  createClient,
  createCompany,
  createExpense,
  createInvoice,
  createKey,
  expenseInput,
  invoiceInput,
} from '../../support/factories';
import { png } from '../../support/images';
import { createEndpoint } from '../../support/webhooks';
import { runAllSchedules } from '../../support/schedules';
import { numberAll } from '../../support/sequencer';
import { startApi, type Caller, type TestApi } from '../../support/server';

interface Operation {
  operationId: string;
  parameters: { name: string; in: string }[];
  requestBody?: { content: Record<string, { schema: AnySchema }> };
  responses: Record<string, DocumentedResponse>;
}
interface DocumentedResponse {
  $ref?: string;
  headers?: Record<string, { $ref: string }>;
  content?: Record<string, { schema: AnySchema }>;
}
interface Document {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Operation }>;
  components: Record<'schemas' | 'responses' | 'headers', Record<string, object>>;
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

let ajv: Ajv2020 | undefined;

/** As any validator sees it: a keyword or format that only this service knows is an error. */
function problemsWith(schema: AnySchema, value: unknown): unknown {
  ajv ??= validatorOf(contract.components.schemas);
  const validate = ajv.compile(schema);
  return validate(value) ? [] : validate.errors;
}

function validatorOf(schemas: Record<string, object>): Ajv2020 {
  const validator = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true });
  addFormats(validator);
  for (const [name, schema] of Object.entries(schemas)) validator.addSchema(schema, `#/components/schemas/${name}`);
  return validator;
}

/** The headers of responses that say something of the request, by lower-case name. */
const meaningful = (): string[] => Object.keys(contract.components.headers);

function documentedResponse([method, path]: [string, string], status: number): DocumentedResponse {
  const documented = operation(method, path).responses[status];
  if (documented === undefined) throw new Error(`${method} ${path} does not document ${status}`);
  const name = documented.$ref?.split('/').at(-1);
  return name === undefined ? documented : (contract.components.responses[name] as DocumentedResponse);
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
  const { content: documented, headers = {} } = documentedResponse([method, path], response.status);
  const sent = meaningful().filter((name) => name.toLowerCase() in response.headers);
  expect([path, response.status, sent.filter((name) => !(name in headers))]).toEqual([path, response.status, []]);
  // Of a response in JSON or CSV, the one in JSON has no file name.
  const isEither = 'text/csv' in (documented ?? {});
  const optional = isEither ? /^(RateLimit|Content-Disposition)/ : /^(RateLimit|Idempotent-Replayed)/;
  const absent = Object.keys(headers).filter((name) => !sent.includes(name) && !optional.test(name));
  expect([path, response.status, absent]).toEqual([path, response.status, []]);
  if (response.status === 304) return;
  const [type = ''] = String(response.headers['content-type']).split(';');
  const types = isEither ? ['application/json', 'text/csv'] : [type];
  expect([path, response.status, Object.keys(documented ?? {})]).toEqual([path, response.status, types]);
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

  test('has a named schema for every record, and a verb in the id of every operation', () => {
    const ids = Object.values(contract.paths).flatMap((methods) => Object.values(methods).map((o) => o.operationId));
    const verb =
      /^(list|create|get|update|delete|download|replace|revoke|send|settle|check|receive|record|run|void)[A-Z]/;
    expect(ids.filter((id) => !verb.test(id))).toEqual([]);
    expect(ids).toEqual(expect.arrayContaining(['createInvoice', 'sendInvoiceEmail', 'downloadInvoicePdf']));
    expect(Object.keys(contract.components.schemas)).toEqual(
      expect.arrayContaining([
        ...['Invoice', 'InvoiceInList', 'InvoiceInListPage', 'InvoiceItem', 'NewInvoice', 'InvoiceChanges'],
        ...['Expense', 'ExpenseWithCategory', 'Client', 'Category', 'Company', 'Receipt', 'ApiKey', 'Job', 'Problem'],
      ]),
    );
    const unnamed = Object.values(contract.paths).flatMap((methods) =>
      Object.values(methods).flatMap(({ operationId, responses }) =>
        Object.values(responses).flatMap(({ content }) => {
          const schema = content?.['application/json']?.schema;
          return schema === undefined || '$ref' in (schema as object) ? [] : [operationId];
        }),
      ),
    );
    expect(unnamed).toEqual([]);
  });

  test('has standard formats and keywords alone', () => {
    const text = JSON.stringify(contract);
    const formats = new Set([...text.matchAll(/"format":"([^"]+)"/g)].map(([, format]) => format));
    expect([...formats].sort()).toEqual(['binary', 'date', 'date-time', 'email', 'uri']);
    for (const schema of Object.values(contract.components.schemas)) problemsWith(schema, null);
  });

  test('lists every code of a problem, and so does the documentation', () => {
    expect(contract.components.schemas['ErrorCode']).toMatchObject({ enum: [...errorCodes] });
    const table = readFileSync('docs/api.md', 'utf8').matchAll(/^\| \d{3} +\| `(\w+)` +\|/gm);
    expect([...new Set([...table].map(([, code]) => code))].sort()).toEqual([...errorCodes].sort());
    expect([...errorCodes].sort()).toEqual([...errorCodes]);
  });

  test.each(['invoices', 'expenses', 'clients', 'categories', 'webhook-endpoints'])(
    'what GET of %s returns › is a body of PUT',
    async (kind) => {
      const { id } = await {
        invoices: () => createInvoice(api.services, companyId, { clientId, recurring: 'monthly' }),
        expenses: () => createExpense(api.services, companyId, { recurring: 'monthly' }),
        clients: () => createClient(api.services, companyId),
        categories: () => createCategory(api.services, companyId),
        'webhook-endpoints': () => createEndpoint(api.services, companyId),
      }[kind as 'invoices']();
      const { body } = await caller.get(`/api/${kind}/${id}`).expect(200);
      const schema = operation('put', `/api/${kind}/{id}`).requestBody?.content['application/json']?.schema ?? false;
      expect(problemsWith(schema, body)).toEqual([]);
      await caller
        .put(`/api/${kind}/${id}`)
        .send(body as object)
        .expect(200);
    },
  );

  test('what GET of the company returns › is a body of PUT', async () => {
    const { body } = await caller.get('/api/company').expect(200);
    const schema = operation('put', '/api/company').requestBody?.content['application/json']?.schema ?? false;
    expect(problemsWith(schema, body)).toEqual([]);
    await caller
      .put('/api/company')
      .send(body as object)
      .expect(200);
  });

  test('what is not about the body › is documented: 304, 405, 406, 206, 416', async () => {
    const invoice: [string, string] = ['get', '/api/invoices/{id}'];
    const path = `/api/invoices/${(await createInvoice(api.services, companyId, { clientId })).id}`;
    const { headers } = await caller.get(path).expect(200);
    expectDocumented(invoice, await caller.get(path).set('If-None-Match', String(headers['etag'])).expect(304));
    expectDocumented(invoice, await caller.patch(path).expect(405));
    expectDocumented(invoice, await caller.get(path).set('Accept', 'text/html').expect(406));
    const receipt = await caller.post('/api/receipts').attach('file', png(3, 3), 'a.png').expect(201);
    const file = caller.get(receipt.headers['location'] ?? '');
    const part = await file.set('Range', 'bytes=0-3').expect(206);
    const { headers: documented = {}, content = {} } = documentedResponse(['get', '/api/receipts/{id}'], 206);
    expect(Object.keys(content)).toContain(part.headers['content-type']);
    for (const name of ['Content-Range', 'Accept-Ranges', 'ETag', 'Content-Disposition', 'X-Request-Id']) {
      expect([name in documented, name.toLowerCase() in part.headers]).toEqual([true, true]);
    }
    const past = await caller
      .get(receipt.headers['location'] ?? '')
      .set('Range', 'bytes=9999-')
      .expect(416);
    expectDocumented(['get', '/api/receipts/{id}'], past);
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
    expectDocumented(['get', '/api/invoices/{id}/timeline'], await caller.get(`${path}/timeline`).expect(200));
    expectDocumented(['get', '/api/invoices/{id}/emails'], await caller.get(`${path}/emails`).expect(200));
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
    expectDocumented(['get', '/api/expenses/{id}/timeline'], await caller.get(`${path}/timeline`).expect(200));
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

  test('successes of webhook endpoints and deliveries › have exactly the documented fields', async () => {
    const at = '/api/webhook-endpoints';
    const created = await caller.post(at).send({ url: 'https://receiver.example' }).expect(201);
    const path = created.headers['location'] ?? '';
    expectDocumented(['post', at], created);
    expectDocumented(['get', at], await caller.get(at).expect(200));
    expectDocumented(['get', `${at}/{id}`], await caller.get(path).expect(200));
    expectDocumented(
      ['put', `${at}/{id}`],
      await caller
        .put(path)
        .send({ types: ['invoice.*'] })
        .expect(200),
    );
    expectDocumented(['post', `${at}/{id}/rotate-secret`], await caller.post(`${path}/rotate-secret`).expect(200));
    expectDocumented(['get', `${at}/{id}`], await caller.get(path).expect(200));
    const sent = await caller.post(`${path}/test`).expect(202);
    const delivery = sent.headers['location'] ?? '';
    expectDocumented(['post', `${at}/{id}/test`], sent);
    expectDocumented(['get', `${at}/{id}/deliveries`], await caller.get(`${path}/deliveries`).expect(200));
    expectDocumented(['get', `${at}/{id}/deliveries/{deliveryId}`], await caller.get(delivery).expect(200));
    expectDocumented(
      ['post', `${at}/{id}/deliveries/{deliveryId}/replay`],
      await caller.post(`${delivery}/replay`).expect(202),
    );
    const replay: [string, string] = ['post', `${at}/{id}/replay`];
    expectDocumented(replay, await caller.post(`${path}/replay`).send({ after: 0, until: 1 }).expect(202));
    expectDocumented(replay, await caller.post(`${path}/replay`).send({ after: 1, until: 0 }).expect(400));
    await caller.put(path).send({ enabled: false }).expect(200);
    expectDocumented(['post', `${at}/{id}/test`], await caller.post(`${path}/test`).expect(409));
    expectDocumented(['delete', `${at}/{id}`], await caller.delete(path).expect(200));
  });

  test('every type of event is a webhook; what the feed shows is what its schema says, and other data is not', async () => {
    expect(Object.keys(contract.webhooks)).toEqual(eventTypes.map(({ type }) => type));
    await numberAll(api.services);
    const { body } = await caller.get('/api/events?limit=1000').expect(200);
    const { data: events } = body as { data: { type: string; createdAt: string; data: object }[] };
    expect(new Set(events.map(({ type }) => type)).size).toBeGreaterThan(8);
    for (const event of events) {
      const { content } = contract.webhooks[event.type]?.post.requestBody ?? {};
      const schema = content?.['application/json']?.schema ?? false;
      const sent = (data: object): object => ({ type: event.type, timestamp: event.createdAt, data });
      expect([event, problemsWith(schema, sent(event))]).toEqual([event, []]);
      expect(problemsWith(schema, sent({ ...event, data: null }))).not.toEqual([]);
    }
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
