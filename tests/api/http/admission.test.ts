import { createCompany, createInvoice, createKey } from '../../support/factories';
import { eventually } from '../../support/eventually';
import { startApi, type Caller, type TestApi } from '../../support/server';

let api: TestApi;
let first: Caller;
let second: Caller;
let other: Caller;
let invoiceId: number;
let otherInvoiceId: number;
let release: () => void;
let held: number;

beforeAll(async () => {
  // Among others a company has a quarter of them: three places, and two for scans.
  api = await startApi({ env: { MAX_REQUESTS_PER_COMPANY: '12', MAX_SCANS_PER_COMPANY: '8' } });
  const { companyId, token } = await createCompany(api.services);
  first = api.as(token);
  second = api.as((await createKey(api.services, companyId)).token);
  invoiceId = (await createInvoice(api.services, companyId)).id;
  const company = await createCompany(api.services);
  other = api.as(company.token);
  otherInvoiceId = (await createInvoice(api.services, company.companyId)).id;
});

/** Lists take until `release`, as if MySQL were busy with them. */
beforeEach(() => {
  held = 0;
  const until = new Promise<void>((resolve) => (release = resolve));
  const { sql } = api.services;
  const rowsWithin = sql.rowsWithin.bind(sql);
  jest.spyOn(sql, 'rowsWithin').mockImplementation(async (...statement) => {
    held += 1;
    await until;
    return rowsWithin<never>(...statement);
  });
});
afterEach(() => {
  release();
  jest.restoreAllMocks();
});

/** From now on, for a second, the company is not alone. */
const visitOfAnother = (): Promise<unknown> => other.get(`/api/invoices/${otherInvoiceId}`).expect(200);
const status = (request: PromiseLike<{ status: number }>): Promise<number> =>
  Promise.resolve(request).then((response) => response.status);

test('a company with many slow requests › runs three at a time; all succeed, and another company does not notice', async () => {
  await visitOfAnother();
  const slow = Array.from({ length: 10 }, (_, n) => status((n % 2 ? first : second).get('/api/invoices')));
  await eventually(() => held === 3);
  const inLine = status(first.get(`/api/invoices/${invoiceId}`));
  for (let n = 0; n < 20; n++) await visitOfAnother();
  expect(held).toBe(3);
  release();
  expect(new Set(await Promise.all([...slow, inLine]))).toEqual(new Set([200]));
});

test.each([
  ['with a search', 'search=x'],
  ['in another order', 'sortBy=total'],
  ['far from the front', 'page=101&limit=10'],
  ['far from the front, with an empty limit', 'page=101&limit='],
])('a company with many lists %s › runs two at a time, and its other requests go on', async (_, query) => {
  await visitOfAnother();
  const searches = Array.from({ length: 10 }, () => status(first.get(`/api/invoices?${query}`)));
  await eventually(() => held === 2);
  for (let n = 0; n < 20; n++) await first.get(`/api/invoices/${invoiceId}`).expect(200);
  const list = status(first.get('/api/invoices?search=&sortBy=createdAt&page=100'));
  await eventually(() => held === 3);
  release();
  expect(new Set(await Promise.all([...searches, list]))).toEqual(new Set([200]));
});

test('requests without a place are refused as before › 401, 403, 404, 405, 415 and 413 need none', async () => {
  await visitOfAnother();
  const slow = [1, 2, 3, 4].map(() => status(first.get('/api/invoices')));
  await eventually(() => held === 3);
  await api.as('inv_wrong').get('/api/invoices').expect(401);
  await first.get('/api/nowhere').expect(404);
  await first.patch('/api/invoices').expect(405);
  await first.post('/api/invoices').type('text/plain').send('x').expect(415);
  await first
    .post('/api/invoices')
    .send({ notes: 'x'.repeat(2 ** 20) })
    .expect(413);
  release();
  expect(await Promise.all(slow)).toEqual([200, 200, 200, 200]);
});
