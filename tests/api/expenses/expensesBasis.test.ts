import { createCategory, createCompany, expenseInput } from '../../support/factories';
import { startApi, type Caller, type TestApi } from '../../support/server';

/** An API process remembers what new expenses are made from; another process changes it. */
let api: TestApi;
let token: string;
let companyId: number;
let here: Caller;
let elsewhere: Caller;

beforeAll(async () => {
  api = await startApi();
  const other = await startApi();
  ({ companyId, token } = await createCompany(api.services));
  here = api.as(token);
  elsewhere = other.as(token);
});

interface Created {
  body: { id: number; currency: string };
  headers: Record<string, string>;
}
const create = async (categoryId: number): Promise<Created> => {
  const { currency: _none, ...input } = expenseInput(categoryId);
  return here.post('/api/expenses').send(input).expect(201);
};
const total = async (): Promise<number> =>
  ((await here.get('/api/expenses').expect(200)).body as { total: number }).total;

test('the company’s currency was changed elsewhere › the next expense has the new one, and is there once', async () => {
  const { id } = await createCategory(api.services, companyId);
  expect((await create(id)).body.currency).toBe('IDR');
  const before = await total();
  for (const currency of ['EUR', 'IDR']) {
    await elsewhere.put('/api/company').send({ currency }).expect(200);
    expect((await create(id)).body.currency).toBe(currency);
  }
  expect(await total()).toBe(before + 2);
});

test('the category was renamed elsewhere › the ETag of the response is what GET has', async () => {
  const { id } = await createCategory(api.services, companyId);
  await create(id);
  await elsewhere.put(`/api/categories/${id}`).send({ name: 'Renamed' }).expect(200);
  const { body, headers } = await create(id);
  const shown = await here.get(`/api/expenses/${body.id}`).expect(200);
  expect(shown.headers['etag']).toBe(headers['etag']);
  expect(shown.body).toMatchObject({ category: { id, name: 'Renamed' } });
});

test('the category was deleted elsewhere › 400, and nothing of the expense is there', async () => {
  const { id } = await createCategory(api.services, companyId);
  await create(id);
  const before = await total();
  await elsewhere.delete(`/api/categories/${id}`).expect(200);
  const { body } = await here.post('/api/expenses').send(expenseInput(id)).expect(400);
  expect(body).toMatchObject({ errors: [{ path: 'categoryId', message: 'is not a category of this company' }] });
  expect(await total()).toBe(before);
  const events = await api.services.sql.rows<{ made: number }>(
    "SELECT COUNT(*) AS made FROM events WHERE companyId = ? AND type = 'expense.created'",
    [companyId],
  );
  expect(events).toEqual([{ made: before }]);
});
