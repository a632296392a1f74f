import { createCategory, createCompany, createExpense, expenseInput } from '../../support/factories';
import { startApi, type Caller, type TestApi } from '../../support/server';

let api: TestApi;
let mine: Caller;
let theirs: Caller;
let myId: number;
let theirId: number;
let theirExpense: number;
let theirCategory: number;

beforeAll(async () => {
  api = await startApi();
});

beforeEach(async () => {
  const [me, them] = [await createCompany(api.services), await createCompany(api.services)];
  [mine, theirs, myId, theirId] = [api.as(me.token), api.as(them.token), me.companyId, them.companyId];
  theirCategory = (await createCategory(api.services, theirId, 'Their secret')).id;
  const secret = { categoryId: theirCategory, vendor: 'Their vendor', vendorId: 66 };
  theirExpense = (await createExpense(api.services, theirId, secret)).id;
});

describe('another company’s expense', () => {
  const requests = [
    ['get', ''],
    ['get', '?includeDeleted=true'],
    ['put', ''],
    ['delete', ''],
  ] as const;

  test.each(requests)(
    '%s /api/expenses/{id}%s › gets the response of one that does not exist',
    async (method, rest) => {
      const responseTo = async (id: number): Promise<unknown> => {
        const { status, body } = await mine[method](`/api/expenses/${id}${rest}`).set('X-Request-Id', 'x');
        return [status, body];
      };
      expect(await responseTo(theirExpense)).toEqual(await responseTo(999_999));
      expect(await responseTo(theirExpense)).toMatchObject([404, {}]);
      const { body } = await theirs.get(`/api/expenses/${theirExpense}`).expect(200);
      expect(body).toMatchObject({ vendor: 'Their vendor', softDelete: false });
    },
  );

  test('lists, filters and searches › never show it', async () => {
    await createExpense(api.services, myId);
    const queries = [{}, { includeDeleted: true }, { limit: 100 }, { status: 'pending' }];
    for (const query of [...queries, { startDate: '2000-01-01' }, { currency: 'IDR' }]) {
      const { body } = await mine.get('/api/expenses').query(query).expect(200);
      expect(body).toMatchObject({ total: 1, data: [{ companyId: myId }] });
    }
    for (const query of [{ category: theirCategory }, { search: 'Their vendor' }, { vendorId: 66 }]) {
      const { body } = await mine.get('/api/expenses').query(query).expect(200);
      expect(body).toMatchObject({ total: 0, data: [] });
    }
  });

  test('an old version tag, its own category, wrong dates › reveal nothing: 404', async () => {
    const path = `/api/expenses/${theirExpense}`;
    await mine.put(path).set('If-Match', '"x"').send({}).expect(404);
    await mine.delete(path).set('If-Match', '"x"').expect(404);
    await mine.put(path).send({ nextDueDate: '2000-01-01' }).expect(404);
    await mine.put(path).send({ categoryId: theirCategory }).expect(400);
  });
});

describe('another company’s category', () => {
  test('on create and update › 400 as one that does not exist', async () => {
    const own = await createExpense(api.services, myId);
    const responses = [];
    for (const categoryId of [theirCategory, 999_999]) {
      const send = { ...expenseInput(categoryId) };
      const created = await mine.post('/api/expenses').set('X-Request-Id', 'x').send(send).expect(400);
      const path = `/api/expenses/${own.id}`;
      const updated = await mine.put(path).set('X-Request-Id', 'x').send({ categoryId }).expect(400);
      responses.push([created.body, updated.body]);
    }
    expect(responses[0]).toEqual(responses[1]);
  });

  test('in the database › a foreign key holds it too', async () => {
    const own = await createExpense(api.services, myId);
    const moved = api.services.sql.run('UPDATE expenses SET categoryId = ? WHERE companyId = ? AND id = ?', [
      theirCategory,
      myId,
      own.id,
    ]);
    await expect(moved).rejects.toMatchObject({ code: 'ER_NO_REFERENCED_ROW_2' });
  });
});

test('companyId in a body › is ignored, and in a query refused', async () => {
  const { id: categoryId } = await createCategory(api.services, myId);
  await mine.get(`/api/expenses?companyId=${theirId}`).expect(400);
  const { body } = await mine
    .post('/api/expenses')
    .send({ ...expenseInput(categoryId), companyId: theirId })
    .expect(201);
  expect(body).toMatchObject({ companyId: myId });
});
