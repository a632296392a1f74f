import { createCategory, createCompany } from '../../support/factories';
import { startApi, type Caller, type TestApi } from '../../support/server';

interface CategoryBody {
  id: number;
  name: string;
  updatedAt: string;
  createdAt: string;
}

let api: TestApi;
let companyId: number;
let caller: Caller;

beforeAll(async () => {
  api = await startApi();
});
beforeEach(async () => {
  const company = await createCompany(api.services);
  companyId = company.companyId;
  caller = api.as(company.token);
});

const names = (body: unknown): string[] => (body as { data: CategoryBody[] }).data.map(({ name }) => name);

describe('categories', () => {
  test('are created, read, changed and deleted', async () => {
    const made = await caller.post('/api/categories').send({ name: 'Travel' }).expect(201);
    const { id, createdAt, updatedAt } = made.body as CategoryBody;
    expect(made.body).toEqual({ id, companyId, name: 'Travel', softDelete: false, createdAt, updatedAt });
    expect(made.headers.location).toBe(`/api/categories/${id}`);
    expect((await caller.get(`/api/categories/${id}`).expect(200)).body).toEqual(made.body);
    const changed = await caller
      .put(`/api/categories/${id}`)
      .send({ ...made.body, name: 'Trips' })
      .expect(200);
    expect(changed.body).toMatchObject({ id, name: 'Trips', createdAt });
    expect((changed.body as CategoryBody).updatedAt > updatedAt).toBe(true);
    const deleted = await caller.delete(`/api/categories/${id}`).expect(200);
    expect(deleted.body).toEqual({ message: 'Category deleted successfully' });
    await caller.get(`/api/categories/${id}`).expect(404);
    await caller.put(`/api/categories/${id}`).send({}).expect(404);
    await caller.delete(`/api/categories/${id}`).expect(404);
    expect((await caller.get(`/api/categories/${id}?includeDeleted=true`).expect(200)).body).toMatchObject({
      softDelete: true,
    });
  });

  test('of one company have different names, compared without case and accents', async () => {
    await createCategory(api.services, companyId, 'Café');
    const { id } = await createCategory(api.services, companyId, 'Other');
    for (const name of ['Café', 'CAFE']) {
      const { body } = await caller.post('/api/categories').send({ name }).expect(409);
      expect(body).toMatchObject({ code: 'duplicate_category_name', status: 409 });
      await caller.put(`/api/categories/${id}`).send({ name }).expect(409);
    }
    expect((await caller.get(`/api/categories/${id}`)).body).toMatchObject({ name: 'Other' });
    await caller.put(`/api/categories/${id}`).send({ name: 'other' }).expect(200);
    const other = await createCompany(api.services);
    await api.as(other.token).post('/api/categories').send({ name: 'Café' }).expect(201);
  });

  test('free their name when they are deleted', async () => {
    for (let n = 0; n < 2; n++) {
      const { id } = (await caller.post('/api/categories').send({ name: 'Again' }).expect(201)).body as CategoryBody;
      await caller.delete(`/api/categories/${id}`).expect(200);
    }
    expect(names((await caller.get('/api/categories?includeDeleted=true')).body)).toEqual(['Again', 'Again']);
  });

  test('created at the same time with one name exist once', async () => {
    const responses = await Promise.all(
      Array.from({ length: 6 }, () => caller.post('/api/categories').send({ name: 'Race' })),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409]);
    expect((await caller.get('/api/categories')).body).toMatchObject({ total: 1 });
  });

  test.each([
    ['no name', {}],
    ['an empty name', { name: '' }],
    ['a blank name', { name: '\u3000' }],
    ['too long a name', { name: 'n'.repeat(256) }],
    ['a field that is not known', { name: 'N', colour: 'red' }],
  ])('with %s are refused with 400', async (_what, given) => {
    expect((await caller.post('/api/categories').send(given).expect(400)).body).toMatchObject({
      code: 'validation_failed',
    });
  });

  test('are only changed and deleted in the version that If-Match names', async () => {
    const { id } = await createCategory(api.services, companyId);
    const { etag } = (await caller.get(`/api/categories/${id}`)).headers as { etag: string };
    await caller.put(`/api/categories/${id}`).set('If-Match', '"other"').send({}).expect(412);
    const put = await caller.put(`/api/categories/${id}`).set('If-Match', etag).send({}).expect(200);
    await caller.delete(`/api/categories/${id}`).set('If-Match', etag).expect(412);
    await caller
      .delete(`/api/categories/${id}`)
      .set('If-Match', put.headers.etag ?? '')
      .expect(200);
  });

  test('are listed in pages, sorted and searched', async () => {
    for (const name of ['Travel', 'Software', 'Hardware', '100%']) await createCategory(api.services, companyId, name);
    const list = async (query: string): Promise<unknown> =>
      (await caller.get(`/api/categories?${query}`).expect(200)).body;
    expect(names(await list(''))).toEqual(['100%', 'Hardware', 'Software', 'Travel']);
    expect(names(await list('sortBy=name&sortOrder=asc'))).toEqual(['100%', 'Hardware', 'Software', 'Travel']);
    expect(names(await list('sortBy=id&sortOrder=asc&limit=2&page=2'))).toEqual(['Hardware', '100%']);
    expect(await list('search=WARE')).toMatchObject({ total: 2, totalPages: 1 });
    expect(names(await list('search=%25'))).toEqual(['100%']);
    await caller.get('/api/categories?sortBy=email').expect(400);
  });

  test('of another company are not there', async () => {
    const other = await createCompany(api.services);
    const { id } = await createCategory(api.services, other.companyId, 'Theirs');
    await caller.get(`/api/categories/${id}`).expect(404);
    await caller.put(`/api/categories/${id}`).send({ name: 'Mine' }).expect(404);
    await caller.delete(`/api/categories/${id}`).expect(404);
    expect((await caller.get('/api/categories?includeDeleted=true')).body).toMatchObject({ total: 0 });
    expect((await api.as(other.token).get(`/api/categories/${id}`)).body).toMatchObject({ name: 'Theirs' });
  });
});
