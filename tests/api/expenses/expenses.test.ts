import { createCategory, createCompany, createExpense, createKey, expenseInput } from '../../support/factories';
import { startApi, type Caller, type TestApi } from '../../support/server';

let api: TestApi;
let caller: Caller;
let companyId: number;
let categoryId: number;

beforeAll(async () => {
  api = await startApi();
});

beforeEach(async () => {
  const company = await createCompany(api.services, { currency: 'SGD' });
  companyId = company.companyId;
  caller = api.as(company.token);
  categoryId = (await createCategory(api.services, companyId, 'Travel')).id;
});

const post = (body: object): ReturnType<Caller['post']> => caller.post('/api/expenses').send(body);
const any = (type: typeof String | typeof Number): unknown => expect.any(type) as unknown;

const full = {
  vendorId: 77,
  vendor: 'Garuda Indonesia',
  description: 'Flight\nCGK – DPS ✈️',
  amount: 1234.56,
  currency: 'EUR',
  expenseDate: '2126-03-31',
  receiptUrl: 'https://files.example/receipts/1?x=%20y',
  status: 'approved',
  recurring: 'monthly',
  nextDueDate: '2126-04-30',
};
const fields = [
  ...['id', 'companyId', 'categoryId', 'vendorId', 'vendor', 'description', 'amount', 'currency', 'expenseDate'],
  ...['receiptUrl', 'status', 'recurring', 'nextDueDate', 'createdAt', 'updatedAt', 'softDelete'],
];

describe('POST /api/expenses', () => {
  test('every field given › 201 with exactly the documented fields in their order, and no category', async () => {
    const { body, headers } = await post({ categoryId, ...full }).expect(201);
    const own = { id: any(Number), companyId, categoryId };
    expect(body).toEqual({ ...own, ...full, createdAt: any(String), updatedAt: any(String), softDelete: false });
    expect(Object.keys(body as object)).toEqual(fields);
    expect(headers['location']).toBe(`/api/expenses/${(body as { id: number }).id}`);
    expect(headers['etag']).toMatch(/^"[^"]+"$/);
  });

  test('only what is required › the defaults', async () => {
    const required = { categoryId, vendor: 'Grab', amount: 5, expenseDate: '2126-01-15' };
    const { body } = await post(required).expect(201);
    expect(body).toEqual({
      ...required,
      id: any(Number),
      companyId,
      vendorId: null,
      description: '',
      currency: 'SGD',
      receiptUrl: null,
      status: 'pending',
      recurring: 'none',
      nextDueDate: null,
      createdAt: any(String),
      updatedAt: any(String),
      softDelete: false,
    });
  });

  test.each([{}, full, { vendorId: null, receiptUrl: null, nextDueDate: null }, { receiptUrl: '' }])(
    '%j › the response of create is that of GET, with the category, under the same tag',
    async (changes) => {
      const created = await post(expenseInput(categoryId, changes as object)).expect(201);
      const got = await caller.get(created.headers['location'] ?? '').expect(200);
      expect(got.body).toEqual({ ...created.body, category: { id: categoryId, name: 'Travel' } });
      expect(Object.keys(got.body as object)).toEqual([...fields, 'category']);
      expect(got.headers['etag']).toBe(created.headers['etag']);
    },
  );

  test('at a whole second, or any other time › times have milliseconds, in create and get alike', async () => {
    const { token } = await createKey(api.services, companyId);
    for (const moment of ['2126-03-04T05:06:07.000Z', '2126-03-04T05:06:07.080Z']) {
      const there = (await startApi({ clock: { now: () => new Date(moment) } })).as(token);
      const { body, headers } = await there.post('/api/expenses').send(expenseInput(categoryId)).expect(201);
      expect(body).toMatchObject({ createdAt: moment, updatedAt: moment });
      const got = await there.get(headers['location'] ?? '').expect(200);
      expect(got.body).toMatchObject({ createdAt: moment, updatedAt: moment });
    }
  });

  test.each([0.01, 0.1, 4.35, 19.99, 1.1, 100, 1e3, 1234567.89, 9007199254740.99, 9999999999999.99])(
    'amount %d › is the same JSON number in create, get, list and update',
    async (amount) => {
      const { text, headers } = await post(expenseInput(categoryId, { amount })).expect(201);
      const path = headers['location'] ?? '';
      const list = await caller.get('/api/expenses').expect(200);
      const put = await caller.put(path).send({ amount }).expect(200);
      for (const shown of [text, (await caller.get(path)).text, list.text, put.text]) {
        expect(shown).toContain(`"amount":${amount},`);
      }
    },
  );

  test('vendor and description › are kept as they are, in any script', async () => {
    const texts = { vendor: 'ร้านกาแฟ ☕ 𝒱 Ωmega "q" \\', description: 'é e\u0301 漢字 🧾\r\n\tعربى  ' };
    const { headers, body } = await post(expenseInput(categoryId, texts)).expect(201);
    expect(body).toMatchObject(texts);
    expect((await caller.get(headers['location'] ?? '')).body).toMatchObject(texts);
  });

  test.each(['none', 'daily', 'weekly', 'monthly', 'yearly'] as const)('recurring %s › is kept', async (recurring) => {
    const { headers } = await post(expenseInput(categoryId, { recurring })).expect(201);
    expect((await caller.get(headers['location'] ?? '')).body).toMatchObject({ recurring });
  });

  test.each([
    ['daily', '2126-01-31', '2126-02-01'],
    ['weekly', '2126-12-28', '2127-01-04'],
    ['monthly', '2126-01-31', '2126-02-28'],
    ['monthly', '2126-02-28', '2126-03-28'],
    ['yearly', '2128-02-29', '2129-02-28'],
  ] as const)('%s from %s without nextDueDate, or with null › %s', async (recurring, expenseDate, nextDueDate) => {
    for (const given of [{}, { nextDueDate: null }]) {
      const { body } = await post(expenseInput(categoryId, { recurring, expenseDate, ...given })).expect(201);
      expect(body).toMatchObject({ recurring, nextDueDate });
    }
  });

  test('nextDueDate with recurring none › is only kept; on the day of the expense itself › is accepted', async () => {
    const { body } = await post(expenseInput(categoryId, { nextDueDate: '2126-01-15' })).expect(201);
    expect(body).toMatchObject({ recurring: 'none', nextDueDate: '2126-01-15' });
    const [row] = await api.services.sql.rows('SELECT dueAt, anchorDate, recurringSince FROM expenses WHERE id = ?', [
      (body as { id: number }).id,
    ]);
    expect(row).toEqual({ dueAt: null, anchorDate: null, recurringSince: null });
  });

  test('a series › becomes due at midnight of the company’s zone', async () => {
    const { companyId: other } = await createCompany(api.services, { timezone: 'America/New_York' });
    const { id } = await createExpense(api.services, other, { expenseDate: '2126-01-15', recurring: 'weekly' });
    const [row] = await api.services.sql.rows('SELECT dueAt, anchorDate FROM expenses WHERE id = ?', [id]);
    expect(row).toEqual({ dueAt: '2126-01-22 05:00:00', anchorDate: '2126-01-15' });
  });

  test('an Idempotency-Key › one expense, and the same response', async () => {
    const send = (amount: number): ReturnType<Caller['post']> =>
      post(expenseInput(categoryId, { amount })).set('Idempotency-Key', 'once');
    const first = await send(1).expect(201);
    const again = await send(1).expect(201);
    expect(again.body).toEqual(first.body);
    expect(again.headers).toMatchObject({
      'idempotent-replayed': 'true',
      location: first.headers['location'],
      etag: first.headers['etag'],
    });
    await send(2).expect(422);
    expect((await caller.get('/api/expenses')).body).toMatchObject({ total: 1 });
  });

  test('is an event, as are an update and a delete', async () => {
    const { headers } = await post(expenseInput(categoryId)).expect(201);
    await caller
      .put(headers['location'] ?? '')
      .send({ vendor: 'Other', status: 'approved' })
      .expect(200);
    await caller.delete(headers['location'] ?? '').expect(200);
    const events = await api.services.sql.rows<{ type: string; data: string }>(
      "SELECT type, data FROM events WHERE companyId = ? AND subjectType = 'expense' ORDER BY id",
      [companyId],
    );
    const before = { vendor: 'Warung Sari', amount: '42.50', currency: 'SGD' };
    const after = { ...before, vendor: 'Other', status: 'approved' };
    expect(events.map(({ type, data }) => [type, JSON.parse(data) as unknown])).toEqual([
      ['expense.created', { ...before, status: 'pending' }],
      ['expense.approved', { ...after, from: 'pending' }],
      ['expense.updated', { ...after, changed: { vendor: ['Warung Sari', 'Other'], status: ['pending', 'approved'] } }],
      ['expense.deleted', after],
    ]);
  });

  test.each(['approved', 'rejected'] as const)('as %s, and put to it › is an event each time', async (status) => {
    const { headers } = await post(expenseInput(categoryId, { status })).expect(201);
    const path = headers['location'] ?? '';
    for (const next of ['pending', status, status]) await caller.put(path).send({ status: next }).expect(200);
    const rows = await api.services.sql.rows<{ data: string }>(
      'SELECT data FROM events WHERE companyId = ? AND type = ? ORDER BY id',
      [companyId, `expense.${status}`],
    );
    const facts = { vendor: 'Warung Sari', amount: '42.50', currency: 'SGD', status };
    expect(rows.map(({ data }) => JSON.parse(data) as unknown)).toEqual([
      { ...facts, from: null },
      { ...facts, from: 'pending' },
    ]);
  });
});

describe('DELETE /api/expenses/{id}', () => {
  test('soft-deletes › its message; then it is not found, not changed, not deleted again', async () => {
    const { id } = await createExpense(api.services, companyId, { categoryId, recurring: 'daily' });
    const path = `/api/expenses/${id}`;
    const { body } = await caller.delete(path).expect(200);
    expect(body).toEqual({ message: 'Expense deleted successfully' });
    await caller.get(path).expect(404);
    await caller.put(path).send({}).expect(404);
    await caller.delete(path).expect(404);
    const shown = await caller.get(`${path}?includeDeleted=true`).expect(200);
    expect(shown.body).toMatchObject({ id, softDelete: true, category: { id: categoryId, name: 'Travel' } });
  });

  test('a series › is never due again', async () => {
    const { id } = await createExpense(api.services, companyId, { recurring: 'daily' });
    await caller.delete(`/api/expenses/${id}`).expect(200);
    const [row] = await api.services.sql.rows('SELECT dueAt FROM expenses WHERE id = ?', [id]);
    expect(row).toEqual({ dueAt: null });
  });
});

describe('what every endpoint of expenses refuses', () => {
  const requests = [
    ['get', '/api/expenses'],
    ['post', '/api/expenses'],
    ['get', '/api/expenses/1'],
    ['put', '/api/expenses/1'],
    ['delete', '/api/expenses/1'],
  ] as const;

  test.each(requests)(
    '%s %s › without a key 401, with a key that may only read 403 for writes',
    async (method, path) => {
      await api.as()[method](path).expect(401);
      const reader = api.as((await createKey(api.services, companyId, { scopes: ['read'] })).token);
      const { status } = await reader[method](path);
      if (method === 'get') expect(status).not.toBe(403);
      else expect(status).toBe(403);
    },
  );

  test.each(['get', 'put', 'delete'] as const)('%s › 404 for an id that is not there, 400 for none', async (method) => {
    for (const id of ['0', '999999', '99999999999999999999']) await caller[method](`/api/expenses/${id}`).expect(404);
    for (const id of ['x', '-1', '1.5']) await caller[method](`/api/expenses/${id}`).expect(400);
  });

  test('another method › 405 with what is allowed', async () => {
    const { headers } = await caller.patch('/api/expenses/1').send({}).expect(405);
    expect(headers['allow']).toBeDefined();
  });
});
