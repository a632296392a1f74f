import { createCategory, createCompany, createInvoice } from '../../support/factories';
import { png } from '../../support/images';
import { startApi, type Caller, type TestApi } from '../../support/server';
import { Category } from '../../../shared/models';

let api: TestApi;
let caller: Caller;
let companyId: number;
let invoiceId: number;
let receipt: string;

beforeAll(async () => {
  api = await startApi({ env: { JOB_WAIT_MS: '20' } });
  const company = await createCompany(api.services);
  companyId = company.companyId;
  caller = api.as(company.token);
  invoiceId = (await createInvoice(api.services, companyId)).id;
  receipt = (await caller.post('/api/receipts').attach('file', png(), 'a').expect(201)).headers['location'] ?? '';
});

describe('Accept of an operation that responds with JSON', () => {
  test.each([
    '*/*',
    'application/*',
    'application/json',
    'APPLICATION/JSON',
    'application/json; charset=utf-8',
    'application/json;version=1;q=0.1',
    'text/html, application/xhtml+xml, */*;q=0.8',
    'application/pdf, application/json',
  ])('%s › is met', async (accept) => {
    const { headers } = await caller.get(`/api/invoices/${invoiceId}`).set('Accept', accept).expect(200);
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
  });

  test.each(['text/html', 'application/xml', 'application/pdf', 'application/json;q=0', 'text/*', 'nonsense'])(
    '%s › 406, as a problem',
    async (accept) => {
      const { headers, body } = await caller.get(`/api/invoices/${invoiceId}`).set('Accept', accept).expect(406);
      expect(headers['content-type']).toBe('application/problem+json; charset=utf-8');
      expect(body).toMatchObject({ code: 'not_acceptable' });
    },
  );

  test('an empty one › is met', async () => {
    const { token } = await createCompany(api.services);
    const { status } = await fetch(`${api.url}/api/invoices`, {
      headers: { Authorization: `Bearer ${token}`, Accept: '' },
    });
    expect(status).toBe(200);
  });

  test('a change whose response would not be accepted › is not made', async () => {
    const before = await Category.count({ where: { companyId } });
    await caller.post('/api/categories').set('Accept', 'text/html').send({ name: 'Unwanted' }).expect(406);
    expect(await Category.count({ where: { companyId } })).toBe(before);
    const { id } = await createCategory(api.services, companyId);
    await caller.delete(`/api/categories/${id}`).set('Accept', 'image/png').expect(406);
    await caller.get(`/api/categories/${id}`).expect(200);
  });

  test('an error › is a problem whatever is accepted', async () => {
    const { headers } = await caller.get('/api/invoices/0').set('Accept', 'application/json').expect(404);
    expect(headers['content-type']).toBe('application/problem+json; charset=utf-8');
    await api.as().get('/api/invoices').set('Accept', 'text/html').expect(401);
    await caller.get('/api/nowhere').set('Accept', 'text/html').expect(404);
  });
});

describe('Accept of an operation that responds with a file', () => {
  test.each(['application/pdf', 'application/*', '*/*'])('of a PDF › %s is met', async (accept) => {
    // Nothing renders it here: the request got as far as asking for it.
    await caller.get(`/api/invoices/${invoiceId}/pdf`).set('Accept', accept).expect(503);
  });

  test.each(['application/json', 'image/*', 'text/html'])('of a PDF › %s is 406', async (accept) => {
    await caller.get(`/api/invoices/${invoiceId}/pdf`).set('Accept', accept).expect(406);
  });

  test('of a receipt › any of its types is met', async () => {
    await caller.get(receipt).set('Accept', 'image/png').expect(200);
    await caller.get(receipt).set('Accept', 'image/avif,image/webp,*/*;q=0.1').expect(200);
    await caller.get(receipt).set('Accept', 'application/json').expect(406);
  });
});

test.each([
  ['Accept', '/api/invoices'],
  ['Accept-Encoding', '/openapi.json'],
  ['Content-Type', '/healthz'],
  ['X-Forwarded-Host', '/healthz'],
])('%s of more than 1,024 characters › 431 before it is parsed', async (name, path) => {
  const { body } = await caller.get(path).set(name, ','.repeat(1_025)).expect(431);
  expect(body).toMatchObject({ code: 'bad_request', status: 431 });
});
