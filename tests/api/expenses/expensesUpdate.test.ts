import { Category } from '../../../shared/models';
import { createCategory, createCompany, createExpense, createKey } from '../../support/factories';
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

type Body = Record<string, unknown> & { id: number; updatedAt: string; category?: object };

const create = async (changes: object = {}): Promise<number> =>
  (await createExpense(api.services, companyId, { categoryId, ...changes })).id;
const get = async (id: number): Promise<Body> => (await caller.get(`/api/expenses/${id}`).expect(200)).body as Body;
const put = async (id: number, changes: object): Promise<Body> =>
  (await caller.put(`/api/expenses/${id}`).send(changes).expect(200)).body as Body;
const withoutCategory = ({ category: _category, ...fields }: Body): object => fields;

const everything = {
  vendorId: 5,
  receiptUrl: 'https://x.example/r',
  currency: 'EUR',
  amount: 4.35,
  expenseDate: '2126-01-15',
  status: 'rejected',
  recurring: 'monthly',
  nextDueDate: '2126-02-28',
};

describe('PUT /api/expenses/{id} › what changes', () => {
  test.each([{}, everything, { nextDueDate: '2126-09-09' }, { receiptUrl: '' }])(
    '%j › what GET and the list returned, put back › changes nothing but updatedAt',
    async (changes) => {
      const id = await create(changes);
      const list = (await caller.get('/api/expenses').expect(200)).body as { data: [Body] };
      const before = await get(id);
      expect(list.data).toEqual([before]);
      for (const body of [before, list.data[0]]) {
        const after = await put(id, body);
        expect(after).toEqual({ ...withoutCategory(before), updatedAt: after.updatedAt });
        expect(after.updatedAt > before.updatedAt).toBe(true);
        expect(await get(id)).toEqual({ ...before, updatedAt: after.updatedAt });
      }
    },
  );

  test.each([
    [{ vendor: 'Other' }],
    [{ vendorId: 9 }],
    [{ vendorId: null }],
    [{ description: '' }],
    [{ amount: 19.99 }],
    [{ currency: 'USD' }],
    [{ expenseDate: '2126-01-01' }],
    [{ receiptUrl: '' }],
    [{ receiptUrl: null }],
    [{ status: 'approved' }],
    [{ recurring: 'yearly' }],
    [{ nextDueDate: '2126-03-31' }],
    [{}],
  ])('%j › changes what is supplied, and only that', async (changes) => {
    const id = await create(everything);
    const before = await get(id);
    const after = await put(id, changes);
    expect(after).toEqual({ ...withoutCategory(before), ...changes, updatedAt: after.updatedAt });
    expect(await get(id)).toEqual({ ...before, ...changes, updatedAt: after.updatedAt });
  });

  test.each(['pending', 'approved', 'rejected'])('from %s › to every status', async (from) => {
    const id = await create({ status: from });
    for (const status of ['pending', 'approved', 'rejected']) {
      expect(await put(id, { status })).toMatchObject({ status });
    }
  });

  test('another category › is shown by GET immediately', async () => {
    const id = await create();
    const other = await createCategory(api.services, companyId, 'Office');
    expect(await put(id, { categoryId: other.id })).not.toHaveProperty('category');
    expect(await get(id)).toMatchObject({ categoryId: other.id, category: { id: other.id, name: 'Office' } });
  });

  test('an expense whose category was deleted › shows it, can be put back; another cannot move to it', async () => {
    const other = (await createCategory(api.services, companyId)).id;
    const [id, elsewhere] = [await create(), await create({ categoryId: other })];
    await caller.delete(`/api/categories/${categoryId}`).expect(200);
    const before = await get(id);
    expect(before).toMatchObject({ category: { id: categoryId, name: 'Travel' } });
    await put(id, before);
    const { body } = await caller.put(`/api/expenses/${elsewhere}`).send({ categoryId }).expect(400);
    expect(body).toMatchObject({ errors: [{ path: 'categoryId' }] });
    await put(id, { categoryId: other });
    await caller.put(`/api/expenses/${id}`).send({ categoryId }).expect(400);
  });

  test('updatedAt › grows with every accepted PUT, also within one millisecond, and createdAt stays', async () => {
    const moment = new Date();
    const { token } = await createKey(api.services, companyId);
    const id = await create();
    caller = (await startApi({ clock: { now: () => moment } })).as(token);
    const versions = [await get(id)];
    for (let n = 0; n < 5; n++) versions.push(await put(id, {}));
    const moments = versions.map(({ updatedAt }) => updatedAt);
    expect(moments).toEqual([...new Set(moments)].sort());
    expect(new Set(versions.map(({ createdAt }) => createdAt)).size).toBe(1);
  });
});

describe('PUT /api/expenses/{id} › recurrence', () => {
  test.each([
    [{ recurring: 'none' }, { recurring: 'none', nextDueDate: null }],
    [
      { recurring: 'none', nextDueDate: '2126-05-05' },
      { recurring: 'none', nextDueDate: '2126-05-05' },
    ],
    [{ recurring: 'weekly' }, { recurring: 'weekly', nextDueDate: '2126-02-28' }],
    [{ nextDueDate: null }, { recurring: 'monthly', nextDueDate: '2126-02-15' }],
    [{ expenseDate: '2126-02-28' }, { recurring: 'monthly', nextDueDate: '2126-02-28' }],
    [{ status: 'approved' }, { recurring: 'monthly', nextDueDate: '2126-02-28' }],
  ])('monthly from 2126-01-15, next on 2126-02-28 › %j › %j', async (changes, shown) => {
    const id = await create(everything);
    expect(await put(id, changes)).toMatchObject(shown);
    expect(await get(id)).toMatchObject(shown);
  });

  test.each([
    [{ recurring: 'daily' }, { recurring: 'daily', nextDueDate: '2126-01-16' }],
    [{ recurring: 'monthly', expenseDate: '2126-01-31' }, { nextDueDate: '2126-02-28' }],
    [{ recurring: 'yearly', nextDueDate: '2126-06-01' }, { nextDueDate: '2126-06-01' }],
    [{ nextDueDate: '2126-06-01' }, { recurring: 'none', nextDueDate: '2126-06-01' }],
  ])('not recurring › %j › %j', async (changes, shown) => {
    const id = await create({ expenseDate: '2126-01-15' });
    expect(await put(id, changes)).toMatchObject(shown);
  });

  test('the nextDueDate that was read, put back › keeps the month’s end as the anchor', async () => {
    const id = await create({ recurring: 'monthly', expenseDate: '2127-01-31' });
    const { nextDueDate } = await get(id);
    expect(nextDueDate).toBe('2127-02-28');
    await put(id, { nextDueDate });
    const [row] = await api.services.sql.rows('SELECT anchorDate, dueAt FROM expenses WHERE id = ?', [id]);
    expect(row).toEqual({ anchorDate: '2127-01-31', dueAt: '2127-02-27 17:00:00' });
  });

  test.each([
    [{ expenseDate: '2126-03-01' }, 'nextDueDate'],
    [{ nextDueDate: '2126-01-14' }, 'nextDueDate'],
    [{ expenseDate: '9999-12-31', nextDueDate: null }, 'nextDueDate'],
  ])('dates in the wrong order with what is stored › %j › 400 at %s, and nothing changes', async (changes, path) => {
    const id = await create(everything);
    const before = await get(id);
    const { body } = await caller.put(`/api/expenses/${id}`).send(changes).expect(400);
    expect(body).toMatchObject({ code: 'validation_failed', errors: [{ path }] });
    expect(await get(id)).toEqual(before);
  });

  test('dates in the wrong order without a series › 400 as well', async () => {
    const id = await create({ nextDueDate: '2126-02-01' });
    await caller.put(`/api/expenses/${id}`).send({ expenseDate: '2126-02-02' }).expect(400);
    await put(id, { expenseDate: '2126-02-02', recurring: 'none' });
  });
});

describe('PUT and DELETE /api/expenses/{id} › versions', () => {
  const etag = async (id: number): Promise<string> =>
    String((await caller.get(`/api/expenses/${id}`).expect(200)).headers['etag']);

  test('If-None-Match with the current tag › 304; after a change › 200', async () => {
    const id = await create();
    const tag = await etag(id);
    await caller.get(`/api/expenses/${id}`).set('If-None-Match', tag).expect(304);
    await put(id, {});
    await caller.get(`/api/expenses/${id}`).set('If-None-Match', tag).expect(200);
  });

  test('GET and PUT › have the same tag for the same version', async () => {
    const id = await create();
    const { headers } = await caller.put(`/api/expenses/${id}`).send({ vendor: 'x' }).expect(200);
    expect(await etag(id)).toBe(headers['etag']);
  });

  test('a renamed category › is another version', async () => {
    const id = await create();
    const tag = await etag(id);
    await Category.update({ name: 'New', updatedAt: new Date(Date.now() + 1) }, { where: { companyId } });
    await caller.get(`/api/expenses/${id}`).set('If-None-Match', tag).expect(200);
    await caller.put(`/api/expenses/${id}`).set('If-Match', tag).send({}).expect(412);
  });

  test('an older tag › 412, and nothing changes; the current one › passes, also to another category', async () => {
    const id = await create();
    const other = await createCategory(api.services, companyId);
    const old = await etag(id);
    const now = await put(id, {});
    const path = `/api/expenses/${id}`;
    for (const request of [caller.put(path).send({ vendor: 'x' }), caller.delete(path)]) {
      const { body } = await request.set('If-Match', old).expect(412);
      expect(body).toMatchObject({ code: 'precondition_failed' });
    }
    expect(withoutCategory(await get(id))).toEqual(now);
    await caller
      .put(path)
      .set('If-Match', await etag(id))
      .send({ categoryId: other.id })
      .expect(200);
    await caller
      .delete(path)
      .set('If-Match', await etag(id))
      .expect(200);
  });

  test('a bad body, then an absent record, then another version, then what results › in this order', async () => {
    const id = await create(everything);
    const bad = { amount: 0 };
    const unknownCategory = { categoryId: 2 ** 50 };
    const wrongDates = { expenseDate: '2127-01-01' };
    const send = (to: number, body: object): ReturnType<Caller['put']> =>
      caller.put(`/api/expenses/${to}`).set('If-Match', '"x"').send(body);
    await send(999_999, bad).expect(400);
    await send(id, bad).expect(400);
    await send(999_999, unknownCategory).expect(400);
    await send(id, unknownCategory).expect(400);
    await send(999_999, wrongDates).expect(404);
    await send(999_999, { categoryId }).expect(404);
    await send(id, wrongDates).expect(412);
    await caller.put(`/api/expenses/${id}`).send(wrongDates).expect(400);
  });
});
