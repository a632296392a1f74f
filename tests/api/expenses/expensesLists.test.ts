import { createCategory, createCompany, createExpense } from '../../support/factories';
import { startApi, type Caller, type TestApi } from '../../support/server';

let api: TestApi;
let caller: Caller;
let companyId: number;
let categoryId: number;

beforeAll(async () => {
  api = await startApi();
});

beforeEach(async () => {
  const company = await createCompany(api.services);
  companyId = company.companyId;
  caller = api.as(company.token);
  categoryId = (await createCategory(api.services, companyId, 'Travel')).id;
});

interface Page {
  data: (Record<string, string | number | null> & { id: number; vendor: string })[];
  total: number;
  page: number;
  limit: number;
  totalPages: number;
}

const create = async (changes: object = {}): Promise<number> =>
  (await createExpense(api.services, companyId, { categoryId, ...changes })).id;
const list = async (query: object = {}): Promise<Page> =>
  (await caller.get('/api/expenses').query(query).expect(200)).body as Page;
const idsOf = async (query: object): Promise<number[]> => (await list(query)).data.map(({ id }) => id);
const vendorsOf = async (query: object): Promise<string[]> =>
  (await list(query)).data.map(({ vendor }) => vendor).sort();

describe('GET /api/expenses › a page', () => {
  test('no records › an empty page 1 of 0', async () => {
    expect(await list()).toEqual({ data: [], total: 0, page: 1, limit: 10, totalPages: 0 });
  });

  test('one record › every field in its order, with its category, as GET shows it', async () => {
    const other = (await createCategory(api.services, companyId, 'Büro & Söhne')).id;
    const id = await create({
      categoryId: other,
      recurring: 'monthly',
      vendorId: 3,
      receiptUrl: 'https://x.example/r',
    });
    const { data } = await list();
    expect(data).toEqual([(await caller.get(`/api/expenses/${id}`)).body]);
    expect(Object.keys(data[0] ?? {})).toEqual([
      ...['id', 'companyId', 'categoryId', 'vendorId', 'vendor', 'description', 'amount', 'currency', 'expenseDate'],
      ...['receiptUrl', 'status', 'recurring', 'nextDueDate', 'createdAt', 'updatedAt', 'softDelete', 'category'],
    ]);
    expect(data[0]).toMatchObject({ category: { id: other, name: 'Büro & Söhne' }, expenseDate: '2026-01-15' });
  });

  test('by default › ten at a time, the latest expenseDate first and then the newest, never overlapping', async () => {
    const made: { id: number; expenseDate: string }[] = [];
    for (let n = 0; n < 23; n++) {
      const expenseDate = `2026-01-0${(n % 3) + 1}`;
      made.push({ id: await create({ expenseDate }), expenseDate });
    }
    const expected = made.sort((a, b) =>
      a.expenseDate === b.expenseDate ? b.id - a.id : a.expenseDate < b.expenseDate ? 1 : -1,
    );
    const pages = [await list(), await list({ page: 2 }), await list({ page: 3 })];
    expect(pages.map(({ data }) => data.length)).toEqual([10, 10, 3]);
    expect(pages.flatMap(({ data }) => data.map(({ id }) => id))).toEqual(expected.map(({ id }) => id));
    expect(pages[2]).toMatchObject({ total: 23, page: 3, limit: 10, totalPages: 3 });
  });

  test('a page past the end › is empty with the right total, also where records are counted', async () => {
    await create();
    for (const query of [{}, { category: categoryId }, { search: 'sari' }, { status: 'pending' }]) {
      const page = { ...query, page: 90_000_000_000_000 };
      expect(await list(page)).toEqual({ data: [], total: 1, page: page.page, limit: 10, totalPages: 1 });
    }
  });

  test('a limit above 100 › counts as 100, and the envelope says so', async () => {
    await create();
    expect(await list({ limit: '101' })).toMatchObject({ limit: 100, total: 1, totalPages: 1 });
    expect(await list({ limit: 1 })).toMatchObject({ limit: 1 });
  });
});

describe('GET /api/expenses › sorting', () => {
  const fields = ['expenseDate', 'amount', 'status', 'vendor', 'createdAt', 'updatedAt', 'id'];

  beforeEach(async () => {
    await create({ amount: 9, expenseDate: '2026-01-10', status: 'approved', vendor: 'b' });
    await create({ amount: 10, expenseDate: '2025-12-31', vendor: 'c' });
    const changed = await create({ amount: 10, expenseDate: '2026-01-10', vendor: 'a' });
    await create({ amount: 100.5, expenseDate: '2026-01-11', status: 'approved', vendor: 'a' });
    await caller.put(`/api/expenses/${changed}`).send({}).expect(200);
  });

  test.each(fields)('by %s › in order, ties by id, and descending is the exact reverse', async (sortBy) => {
    const { data } = await list({ sortBy, sortOrder: 'asc' });
    const key = (record: Page['data'][number]): string | number => record[sortBy] ?? '';
    const expected = [...data].sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : a.id - b.id));
    const ids = expected.map(({ id }) => id);
    expect(data.map(({ id }) => id)).toEqual(ids);
    expect(await idsOf({ sortBy, sortOrder: 'desc' })).toEqual([...ids].reverse());
    expect(await idsOf({ sortBy })).toEqual([...ids].reverse());
    const one = await Promise.all([1, 2, 3, 4].map((page) => idsOf({ sortBy, page, limit: 1 })));
    expect(one.flat()).toEqual([...ids].reverse());
  });

  test('vendors that the collation calls equal › never overlap between pages', async () => {
    for (const vendor of ['Éa', 'ea', 'EA', 'éA', 'ea']) await create({ vendor });
    const ids = await idsOf({ sortBy: 'vendor', sortOrder: 'asc' });
    const one = await Promise.all(
      ids.map((_, page) => idsOf({ sortBy: 'vendor', sortOrder: 'asc', limit: 1, page: page + 1 })),
    );
    expect(one.flat()).toEqual(ids);
    expect(new Set(ids).size).toBe(9);
  });
});

describe('GET /api/expenses › filters', () => {
  test('status › each alone, and all is every one', async () => {
    const statuses = ['pending', 'approved', 'rejected'];
    for (const status of statuses) await create({ status, vendor: status });
    for (const status of statuses) {
      expect(await vendorsOf({ status })).toEqual([status]);
      expect(await list({ status })).toMatchObject({ total: 1, totalPages: 1 });
    }
    expect(await list({ status: 'all' })).toMatchObject({ total: 3 });
  });

  test('category, vendor, currency and days, first and last included › narrow data and total alike', async () => {
    const other = (await createCategory(api.services, companyId)).id;
    await create({ vendor: 'a', expenseDate: '2026-01-01', vendorId: 1 });
    await create({ vendor: 'b', expenseDate: '2026-01-02', currency: 'USD', status: 'approved' });
    await create({ vendor: 'c', expenseDate: '2026-01-03', categoryId: other, vendorId: 2 });
    const cases: [object, string[]][] = [
      [{ category: categoryId }, ['a', 'b']],
      [{ category: other }, ['c']],
      [{ category: 2 ** 50 }, []],
      [{ vendorId: 1 }, ['a']],
      [{ vendorId: 3 }, []],
      [{ currency: 'USD' }, ['b']],
      [{ currency: 'IDR' }, ['a', 'c']],
      [{ startDate: '2026-01-02' }, ['b', 'c']],
      [{ endDate: '2026-01-02' }, ['a', 'b']],
      [{ startDate: '2026-01-02T00:00:00.000Z', endDate: '2026-01-02' }, ['b']],
      [{ startDate: '2026-01-03', endDate: '2026-01-01' }, []],
      [{ category: categoryId, status: 'pending' }, ['a']],
      [{ status: 'pending', startDate: '2026-01-02' }, ['c']],
      [{ category: categoryId, currency: 'USD', status: 'approved', search: 'b', endDate: '2026-01-02' }, ['b']],
    ];
    for (const [query, expected] of cases) {
      expect([query, await vendorsOf(query)]).toEqual([query, expected]);
      expect([query, (await list({ ...query, limit: 1 })).total]).toEqual([query, expected.length]);
    }
  });

  test('deleted ones › only with includeDeleted, in data and total alike', async () => {
    const gone = await create({ vendor: 'gone' });
    await create({ vendor: 'here' });
    await caller.delete(`/api/expenses/${gone}`).expect(200);
    for (const query of [
      {},
      { status: 'pending' },
      { category: categoryId },
      { search: 'e' },
      { endDate: '2027-01-01' },
    ]) {
      expect(await list(query)).toMatchObject({ total: 1, data: [{ vendor: 'here', softDelete: false }] });
      const all = await list({ ...query, includeDeleted: 'true', sortBy: 'id', sortOrder: 'asc' });
      expect(all).toMatchObject({ total: 2, data: [{ softDelete: true }, { softDelete: false }] });
    }
    expect(await list({ includeDeleted: 'false' })).toMatchObject({ total: 1 });
  });

  test('an expense of a deleted category › is still listed, with its name', async () => {
    await create();
    await caller.delete(`/api/categories/${categoryId}`).expect(200);
    const listed = { total: 1, data: [{ category: { id: categoryId, name: 'Travel' } }] };
    expect(await list()).toMatchObject(listed);
    expect(await list({ category: categoryId })).toMatchObject(listed);
  });

  test('empty parameters › count as absent', async () => {
    await create();
    const empty = {
      page: '',
      limit: '',
      sortBy: '',
      sortOrder: '',
      status: '',
      search: '',
      category: '',
      currency: '',
    };
    const others = { startDate: '', endDate: '', vendorId: '', includeDeleted: '' };
    expect(await list({ ...empty, ...others })).toEqual(await list());
  });

  test.each([
    ['page', '0'],
    ['page', '1.5'],
    ['limit', '0'],
    ['limit', 'ten'],
    ['sortBy', 'description'],
    ['sortBy', 'category'],
    ['sortBy', 'id;DROP TABLE expenses'],
    ['sortOrder', 'ASC'],
    ['status', 'paid'],
    ['category', 'Travel'],
    ['category', '-1'],
    ['vendorId', '0'],
    ['currency', 'rupiah'],
    ['startDate', '2026-02-30'],
    ['endDate', '2026-01-01T12:00:00Z'],
    ['includeDeleted', 'yes'],
    ['search', 'a\u0000'],
    ['search', 'x'.repeat(256)],
  ])('%s=%j › 400 naming the parameter', async (name, value) => {
    const response = await caller
      .get('/api/expenses')
      .query({ [name]: value })
      .expect(400);
    expect(response.body).toMatchObject({ code: 'validation_failed', errors: [{ path: name }] });
  });
});

describe('GET /api/expenses › search', () => {
  test('one that takes more than four seconds › is ended with an error of its own, and others are served', async () => {
    const id = await create({ vendor: 'PLN', description: `${'a'.repeat(9_000)}c` });
    const columns = 'companyId, categoryId, vendor, description, amount, currency, expenseDate, status, recurring';
    await api.services.sql.run(
      `INSERT INTO expenses (${columns}, createdAt, updatedAt)
        WITH RECURSIVE numbers AS (SELECT 0 AS n UNION ALL SELECT n + 1 FROM numbers WHERE n < 99)
        SELECT ${columns}, createdAt, updatedAt FROM expenses, numbers a, numbers b WHERE companyId = ? AND id = ?`,
      [companyId, id],
    );
    const begun = performance.now();
    const { body } = await caller
      .get('/api/expenses')
      .query({ search: `${'a'.repeat(250)}b` })
      .expect(400);
    expect(body).toMatchObject({ code: 'search_too_slow', detail: expect.stringContaining('4 seconds') as string });
    expect(performance.now() - begun).toBeLessThan(9_000);
    expect(await idsOf({ search: 'pln', limit: 1 })).toHaveLength(1);
  });

  test('part of the vendor or the description, without case and accents › is found', async () => {
    await create({ vendor: 'José Núñez & Søn', description: '' });
    await create({ vendor: 'PLN', description: 'Electricity,\nJanuary – Kantor Pusat' });
    const cases: [string, string[]][] = [
      ['jose', ['José Núñez & Søn']],
      ['NUNEZ &', ['José Núñez & Søn']],
      ['é N', ['José Núñez & Søn']],
      ['pln', ['PLN']],
      ['january', ['PLN']],
      ['kantor', ['PLN']],
      ['n', ['José Núñez & Søn', 'PLN']],
      ['Travel', []],
      ['2026', []],
      ['pending', []],
    ];
    for (const [search, expected] of cases) {
      expect([search, await vendorsOf({ search })]).toEqual([search, expected]);
      expect((await list({ search, limit: 1 })).total).toBe(expected.length);
    }
  });

  test.each(['%', '_', '!', '\\', "'", '"', '*', '.', '!%', '%%', '\\%', '🧾'])(
    'the characters %s › are ordinary ones, in vendor and description',
    async (search) => {
      await create({ vendor: 'plain', description: 'simple' });
      const [a, b] = [await create({ vendor: `with${search}in` }), await create({ description: `with${search}in` })];
      expect(await idsOf({ search })).toEqual([b, a]);
      expect(await list({ search })).toMatchObject({ total: 2 });
    },
  );
});
