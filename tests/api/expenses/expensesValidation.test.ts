import { createCategory, createCompany, createExpense, expenseInput } from '../../support/factories';
import { startApi, type Caller, type TestApi } from '../../support/server';

let api: TestApi;
let caller: Caller;
let companyId: number;
let categoryId: number;

beforeAll(async () => {
  api = await startApi();
  const company = await createCompany(api.services);
  companyId = company.companyId;
  caller = api.as(company.token);
  categoryId = (await createCategory(api.services, companyId)).id;
});

const total = async (): Promise<number> => ((await caller.get('/api/expenses')).body as { total: number }).total;
const url = (length: number): string => 'https://x.example/'.padEnd(length, 'a');

/** What is wrong with which field, for create and update alike. */
const bad: [string, unknown][] = [
  ['categoryId', null],
  ['categoryId', '1'],
  ['categoryId', 0],
  ['categoryId', -1],
  ['categoryId', 1.5],
  ['categoryId', 2 ** 53],
  ['categoryId', {}],
  ['vendorId', '7'],
  ['vendorId', 0],
  ['vendorId', -7],
  ['vendorId', 1.5],
  ['vendorId', 2 ** 60],
  ['vendorId', true],
  ['vendor', null],
  ['vendor', ''],
  ['vendor', '   '],
  ['vendor', 7],
  ['vendor', 'x'.repeat(256)],
  ['vendor', 'two\nlines'],
  ['vendor', 'bell\u0007'],
  ['vendor', 'half \ud83e'],
  ['description', null],
  ['description', 7],
  ['description', 'x'.repeat(10_001)],
  ['description', 'nul\u0000'],
  ['amount', null],
  ['amount', '42.50'],
  ['amount', ''],
  ['amount', 0],
  ['amount', -0.01],
  ['amount', 0.001],
  ['amount', 19.999],
  ['amount', 1e-7],
  ['amount', 10_000_000_000_000],
  ['amount', 1e21],
  ['amount', true],
  ['amount', [1]],
  ['currency', null],
  ['currency', ''],
  ['currency', 'usd'],
  ['currency', 'RUPIAH'],
  ['currency', 'XYZ1'],
  ['currency', 360],
  ['expenseDate', null],
  ['expenseDate', ''],
  ['expenseDate', '2026-02-30'],
  ['expenseDate', '2026-02-29'],
  ['expenseDate', '2026-13-01'],
  ['expenseDate', '2026-1-5'],
  ['expenseDate', '15.01.2026'],
  ['expenseDate', '0999-12-31'],
  ['expenseDate', '2026-01-15T12:00:00.000Z'],
  ['expenseDate', '2026-01-15T00:00:00.000+07:00'],
  ['expenseDate', 20260115],
  ['receiptUrl', 7],
  ['receiptUrl', ' '],
  ['receiptUrl', 'receipt.png'],
  ['receiptUrl', '/api/receipts/1'],
  ['receiptUrl', 'ftp://x.example/a'],
  ['receiptUrl', 'javascript:alert(1)'],
  ['receiptUrl', 'data:image/png;base64,AA'],
  ['receiptUrl', 'https://'],
  ['receiptUrl', 'https:x.example'],
  ['receiptUrl', ' https://x.example/a'],
  ['receiptUrl', 'https://x.example/a b'],
  ['receiptUrl', 'https://x.example/a\nb'],
  ['receiptUrl', 'https://x.example/\u0000'],
  ['receiptUrl', url(2049)],
  ['receiptUrl', `https://${'語'.repeat(301)}`],
  ['receiptUrl', `https:////${'語'.repeat(301)}`],
  ['status', null],
  ['status', 'all'],
  ['status', 'Pending'],
  ['status', 'paid'],
  ['status', 1],
  ['recurring', null],
  ['recurring', ''],
  ['recurring', 'hourly'],
  ['recurring', true],
  ['nextDueDate', ''],
  ['nextDueDate', '2027-02-30'],
  ['nextDueDate', '2027-02-01T00:00:01Z'],
  ['nextDueDate', 1],
  ['nextDueDate', '2026-01-14'],
];

describe('an expense with a bad field', () => {
  test.each(bad)('create › %s %j › 400 naming the field, and nothing is stored', async (field, value) => {
    const before = await total();
    const body = { ...expenseInput(categoryId), [field]: value };
    const response = await caller.post('/api/expenses').send(body).expect(400);
    expect(response.body).toMatchObject({ code: 'validation_failed', errors: [{ path: field }] });
    expect(await total()).toBe(before);
  });

  test.each(bad)('update › %s %j › 400 before it is known whether there is such an expense', async (field, value) => {
    // The one that needs the other date to be wrong.
    const beside = value === '2026-01-14' ? { expenseDate: '2026-01-15' } : {};
    const response = await caller
      .put('/api/expenses/0')
      .set('If-Match', '"x"')
      .send({ ...beside, [field]: value })
      .expect(400);
    expect(response.body).toMatchObject({ code: 'validation_failed', errors: [{ path: field }] });
  });

  test.each(['categoryId', 'vendor', 'amount', 'expenseDate'])(
    'create without %s › 400: is required',
    async (field) => {
      const body = { ...expenseInput(categoryId), [field]: undefined };
      const response = await caller.post('/api/expenses').send(body).expect(400);
      expect(response.body).toMatchObject({ errors: [{ path: field, message: 'is required' }] });
    },
  );

  test('several at once › all are named', async () => {
    const { body } = await caller.post('/api/expenses').send({ amount: '1', status: 'x' }).expect(400);
    const paths = (body as { errors: { path: string }[] }).errors.map(({ path }) => path);
    expect(paths.sort()).toEqual(['amount', 'categoryId', 'expenseDate', 'status', 'vendor']);
  });

  test.each([
    'Amount',
    'category_id',
    'total',
    'dueDate',
    'tax',
    'items',
    '__proto__x',
    'seriesId',
    'anchorDate',
    'dueAt',
  ])('the unknown field %s › 400 naming it', async (field) => {
    const { id } = await createExpense(api.services, companyId, { categoryId });
    for (const request of [
      caller.post('/api/expenses').send({ ...expenseInput(categoryId), [field]: 1 }),
      caller.put(`/api/expenses/${id}`).send({ [field]: 1 }),
    ]) {
      const { body } = await request.expect(400);
      expect(body).toMatchObject({ errors: [{ path: field, message: 'is not a known field' }] });
    }
  });

  test.each(['[]', '"x"', 'null', '7', '{', ''])('create with the body %s › 400', async (body) => {
    await caller.post('/api/expenses').type('application/json').send(body).expect(400);
  });

  test('a category that is absent or deleted › 400 at categoryId, both the same', async () => {
    const gone = await createCategory(api.services, companyId);
    await caller.delete(`/api/categories/${gone.id}`).expect(200);
    const own = await createExpense(api.services, companyId, { categoryId });
    for (const id of [gone.id, 2 ** 50]) {
      const created = await caller.post('/api/expenses').send(expenseInput(id)).expect(400);
      const updated = await caller.put(`/api/expenses/${own.id}`).send({ categoryId: id }).expect(400);
      for (const { body } of [created, updated]) {
        expect(body).toMatchObject({ errors: [{ path: 'categoryId', message: 'is not a category of this company' }] });
      }
    }
  });

  test.each([{ recurring: 'daily' }, { recurring: 'yearly', nextDueDate: null }])(
    'a series %j that would begin after the year 9999 › 400 at nextDueDate',
    async (changes) => {
      const body = { ...expenseInput(categoryId), ...changes, expenseDate: '9999-12-31' };
      const response = await caller.post('/api/expenses').send(body).expect(400);
      expect(response.body).toMatchObject({ errors: [{ path: 'nextDueDate' }] });
    },
  );
});

describe('an expense at the bounds', () => {
  test.each([
    { vendor: 'x'.repeat(255) },
    { vendor: '🧾'.repeat(255) },
    { description: '🧾'.repeat(10_000) },
    { description: '' },
    { amount: 0.01 },
    { amount: 9_999_999_999_999.99 },
    { vendorId: 1 },
    { vendorId: Number.MAX_SAFE_INTEGER },
    { expenseDate: '1000-01-01' },
    { expenseDate: '9999-12-31' },
    { expenseDate: '1000-01-01', recurring: 'daily' },
    { expenseDate: '9999-12-30', recurring: 'daily', nextDueDate: '9999-12-31' },
    { receiptUrl: url(2048) },
    { receiptUrl: 'http://localhost:8080/api/receipts/1' },
    { receiptUrl: 'HTTPS://x.example' },
    { receiptUrl: 'https://käse.example/ä?ö#ü' },
    { receiptUrl: `https://${'語'.repeat(60)}.example:8443?${'語'.repeat(1_000)}` },
    { nextDueDate: '2026-01-15' },
  ] as const)('%j › is accepted and shown as it is', async (changes) => {
    const { body, headers } = await caller.post('/api/expenses').send(expenseInput(categoryId, changes)).expect(201);
    expect(body).toMatchObject(changes);
    const path = headers['location'] ?? '';
    expect((await caller.get(path)).body).toMatchObject(changes);
    expect((await caller.put(path).send(changes).expect(200)).body).toMatchObject(changes);
  });

  test('midnight UTC, as timestamps show a day › is the day, in a body and in a query', async () => {
    const timestamps = { expenseDate: '2026-05-31T00:00:00.000Z', nextDueDate: '2026-06-30T00:00:00Z' };
    const days = { expenseDate: '2026-05-31', nextDueDate: '2026-06-30' };
    const body = { ...expenseInput(categoryId), ...timestamps };
    const created = await caller.post('/api/expenses').send(body).expect(201);
    expect(created.body).toMatchObject(days);
    const updated = await caller
      .put(created.headers['location'] ?? '')
      .send(timestamps)
      .expect(200);
    expect(updated.body).toMatchObject(days);
    const query = { startDate: timestamps.expenseDate, endDate: timestamps.expenseDate };
    expect((await caller.get('/api/expenses').query(query)).body).toMatchObject({ total: 1 });
  });

  test('read-only fields › are ignored, whatever they hold', async () => {
    const readOnly = { id: 1, companyId: 2, category: 'x', createdAt: null, updatedAt: [], softDelete: true };
    const { body, headers } = await caller
      .post('/api/expenses')
      .send({ ...expenseInput(categoryId), ...readOnly })
      .expect(201);
    expect(body).toMatchObject({ companyId, softDelete: false });
    const { body: put } = await caller
      .put(headers['location'] ?? '')
      .send(readOnly)
      .expect(200);
    expect(put).toEqual({ ...(body as object), updatedAt: expect.any(String) as string });
  });
});
