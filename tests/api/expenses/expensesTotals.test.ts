import { unitOfWork } from '../../../shared/engine/db/unitOfWork';
import { updateExpense } from '../../../shared/expenses/changeExpenses';
import { createCategory, createCompany, createExpense, expenseInput } from '../../support/factories';
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
  categoryId = (await createCategory(api.services, companyId)).id;
});

const statuses = ['pending', 'approved', 'rejected'] as const;
const create = async (changes: object = {}): Promise<number> =>
  (await createExpense(api.services, companyId, { categoryId, ...changes })).id;

interface Count {
  status: string;
  softDelete: number;
  total: number;
}

/** The kept counts, state by state, are what COUNT(*) finds; the lists show them. */
async function expectExact(): Promise<Count[]> {
  const { sql } = api.services;
  const counted = await sql.rows<Count>(
    `SELECT status, softDelete, COUNT(*) AS total FROM expenses WHERE companyId = ?
      GROUP BY status, softDelete ORDER BY status, softDelete`,
    [companyId],
  );
  const kept = await sql.rows<Count>(
    `SELECT status, softDelete, SUM(total) AS total FROM record_counts WHERE companyId = ? AND kind = 'expense'
      GROUP BY status, softDelete HAVING SUM(total) <> 0 ORDER BY status, softDelete`,
    [companyId],
  );
  expect(kept.map((row) => ({ ...row, total: Number(row.total) }))).toEqual(counted);
  for (const includeDeleted of [true, false]) {
    for (const status of ['all', ...statuses]) {
      const { body } = await caller.get('/api/expenses').query({ status, includeDeleted, limit: 1 }).expect(200);
      const total = counted
        .filter((row) => (status === 'all' || row.status === status) && (includeDeleted || row.softDelete === 0))
        .reduce((sum, row) => sum + row.total, 0);
      expect(body).toMatchObject({ total, totalPages: total });
    }
  }
  return counted;
}

describe('the totals of lists of expenses', () => {
  test('after creates, changes of status, changes of anything else, and deletes › are exact', async () => {
    const [a = 0, b = 0, c = 0, d = 0] = await Promise.all(
      [...statuses, 'pending'].map((status) => create({ status })),
    );
    await expectExact();
    await caller.put(`/api/expenses/${a}`).send({ status: 'approved' }).expect(200);
    await caller.put(`/api/expenses/${a}`).send({ status: 'approved' }).expect(200);
    await caller.put(`/api/expenses/${b}`).send({ vendor: 'x' }).expect(200);
    await expectExact();
    await caller.delete(`/api/expenses/${c}`).expect(200);
    await caller.delete(`/api/expenses/${c}`).expect(404);
    await caller.put(`/api/expenses/${c}`).send({ status: 'pending' }).expect(404);
    await caller.put(`/api/expenses/${d}`).send({ status: 'rejected' }).expect(200);
    await caller.delete(`/api/expenses/${d}`).expect(200);
    await expectExact();
  });

  test('after requests that failed, and a transaction that rolled back › are exact', async () => {
    const id = await create({ nextDueDate: '2026-02-01' });
    await caller
      .post('/api/expenses')
      .send(expenseInput(2 ** 50))
      .expect(400);
    await caller.put(`/api/expenses/${id}`).send({ status: 'approved', expenseDate: '2027-01-01' }).expect(400);
    await caller.put(`/api/expenses/${id}`).set('If-Match', '"old"').send({ status: 'approved' }).expect(412);
    const { sequelize, clock } = api.services;
    const rolledBack = unitOfWork(sequelize, clock, { companyId, actor: 'test' }, async (uow) => {
      await updateExpense(uow, id, { status: 'approved' });
      throw new Error('rolled back');
    });
    await expect(rolledBack).rejects.toThrow('rolled back');
    await expectExact();
  });

  test('after a hundred concurrent creates › are exact, every id once', async () => {
    const responses = await Promise.all(
      Array.from({ length: 100 }, (_, n) =>
        caller.post('/api/expenses').send(expenseInput(categoryId, { status: statuses[n % 3] ?? 'pending' })),
      ),
    );
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(responses.map(({ body }) => (body as { id: number }).id)).size).toBe(100);
    const counted = await expectExact();
    expect(counted.map(({ total }) => total).sort()).toEqual([33, 33, 34]);
  });

  test('after everything at the same time › are exact', async () => {
    const ids = await Promise.all(Array.from({ length: 6 }, () => create()));
    const requests = Array.from({ length: 60 }, (_, n) => {
      const path = `/api/expenses/${ids[n % 6]}`;
      if (n % 8 === 0) return create({ status: statuses[n % 3] });
      if (n % 13 === 0) return caller.delete(path);
      return caller.put(path).send({ status: statuses[(n * 5) % 3] });
    });
    await Promise.all(requests);
    await expectExact();
  });

  test('of one company › are not another’s, nor an invoice’s', async () => {
    await create();
    const other = await createCompany(api.services);
    expect((await api.as(other.token).get('/api/expenses')).body).toMatchObject({ total: 0, totalPages: 0, data: [] });
    expect((await caller.get('/api/invoices')).body).toMatchObject({ total: 0 });
  });
});

describe('concurrent requests on one expense', () => {
  test('writers of different fields › none loses the other’s change', async () => {
    const id = await create();
    const changes = [
      { vendor: 'changed' },
      { vendorId: 7 },
      { description: 'new' },
      { amount: 0.01 },
      { currency: 'EUR' },
      { status: 'approved' },
      { recurring: 'weekly' },
      { receiptUrl: 'https://x.example/r' },
    ];
    await Promise.all(changes.map((change) => caller.put(`/api/expenses/${id}`).send(change).expect(200)));
    const { body } = await caller.get(`/api/expenses/${id}`).expect(200);
    expect(body).toMatchObject(Object.assign({}, ...changes) as object);
  });

  test('two writers of dates › never leave nextDueDate before expenseDate', async () => {
    for (let round = 0; round < 5; round++) {
      const id = await create({ expenseDate: '2026-01-01', nextDueDate: '2026-12-01' });
      const path = `/api/expenses/${id}`;
      const responses = await Promise.all([
        caller.put(path).send({ expenseDate: '2026-11-01' }),
        caller.put(path).send({ nextDueDate: '2026-02-01' }),
      ]);
      expect(responses.map(({ status }) => status).sort()).toEqual([200, 400]);
    }
  });

  test('ten changes at the same time under one tag › one wins', async () => {
    const path = `/api/expenses/${await create()}`;
    const tag = String((await caller.get(path)).headers['etag']);
    const responses = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        caller
          .put(path)
          .set('If-Match', tag)
          .send({ vendor: `n${n}` }),
      ),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(9).fill(412)]);
  });

  test('deletes and changes at the same time › one delete wins, and nothing changes after it', async () => {
    const path = `/api/expenses/${await create()}`;
    const requests = Array.from({ length: 8 }, (_, n) => [
      caller.put(path).send({ vendor: `n${n}` }),
      caller.delete(path),
    ]);
    const responses = await Promise.all(requests.flat());
    const deleted = responses.filter(({ request, status }) => request.method === 'DELETE' && status === 200);
    expect(deleted).toHaveLength(1);
    expect(responses.every(({ status }) => status === 200 || status === 404)).toBe(true);
    await expectExact();
  });
});
