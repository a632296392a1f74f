import { unitOfWork } from '../../../shared/engine/db/unitOfWork';
import { updateInvoice } from '../../../shared/invoices/updateInvoice';
import { createClient, createCompany, createInvoice } from '../../support/factories';
import { startApi, type Caller, type TestApi } from '../../support/server';

let api: TestApi;
let caller: Caller;
let companyId: number;
let clientId: number;

beforeAll(async () => {
  api = await startApi();
});

beforeEach(async () => {
  const company = await createCompany(api.services);
  companyId = company.companyId;
  caller = api.as(company.token);
  clientId = (await createClient(api.services, companyId)).id;
});

const create = async (changes: object = {}): Promise<number> =>
  (await createInvoice(api.services, companyId, { clientId, ...changes })).id;

/** The kept counts, state by state, are what COUNT(*) finds; the lists show them. */
async function expectExact(): Promise<void> {
  const { sql } = api.services;
  const counted = await sql.rows<{ status: string; softDelete: number; total: number }>(
    `SELECT status, softDelete, COUNT(*) AS total FROM invoices WHERE companyId = ?
      GROUP BY status, softDelete ORDER BY status, softDelete`,
    [companyId],
  );
  const kept = await sql.rows<{ status: string; softDelete: number; total: string }>(
    `SELECT status, softDelete, SUM(total) AS total FROM record_counts WHERE companyId = ? AND kind = 'invoice'
      GROUP BY status, softDelete HAVING SUM(total) <> 0 ORDER BY status, softDelete`,
    [companyId],
  );
  expect(kept.map((row) => ({ ...row, total: Number(row.total) }))).toEqual(counted);
  for (const includeDeleted of [true, false]) {
    for (const status of ['all', 'draft', 'sent', 'paid', 'overdue', 'cancelled']) {
      const { body } = await caller.get('/api/invoices').query({ status, includeDeleted, limit: 1 }).expect(200);
      const total = counted
        .filter((row) => (status === 'all' || row.status === status) && (includeDeleted || row.softDelete === 0))
        .reduce((sum, row) => sum + row.total, 0);
      expect(body).toMatchObject({ total, totalPages: total });
    }
  }
}

describe('the totals of lists', () => {
  test('after creates, changes of status, changes of anything else, and deletes › are exact', async () => {
    const ids: number[] = [];
    for (const status of ['draft', 'sent', 'paid', 'overdue', 'cancelled', 'draft']) ids.push(await create({ status }));
    await expectExact();
    const [a, b, c, d] = ids;
    await caller.put(`/api/invoices/${a}`).send({ status: 'sent' }).expect(200);
    await caller.put(`/api/invoices/${a}`).send({ status: 'sent' }).expect(200);
    await caller.put(`/api/invoices/${b}`).send({ notes: 'x' }).expect(200);
    await expectExact();
    await caller.delete(`/api/invoices/${c}`).expect(200);
    await caller.delete(`/api/invoices/${c}`).expect(404);
    await caller.put(`/api/invoices/${c}`).send({ status: 'draft' }).expect(404);
    await caller.put(`/api/invoices/${d}`).send({ status: 'paid' }).expect(200);
    await caller.delete(`/api/invoices/${d}`).expect(200);
    await expectExact();
  });

  test('after requests that failed › are exact', async () => {
    const id = await create({ invoiceNumber: 'taken' });
    const body = {
      clientId,
      issueDate: '2026-01-01',
      dueDate: '2026-01-01',
      items: [{ description: 'x', quantity: 1 }],
    };
    await caller.post('/api/invoices').send(body).expect(400);
    await caller
      .post('/api/invoices')
      .send({ ...body, invoiceNumber: 'taken', items: [{ description: 'x', quantity: 1, unitPrice: 1 }] })
      .expect(409);
    await caller.put(`/api/invoices/${id}`).send({ status: 'paid', dueDate: '2020-01-01' }).expect(400);
    await caller.put(`/api/invoices/${id}`).set('If-Match', '"old"').send({ status: 'paid' }).expect(412);
    await expectExact();
  });

  test('after a transaction that rolled back › are exact', async () => {
    const id = await create();
    const { sequelize, clock } = api.services;
    const rolledBack = unitOfWork(sequelize, clock, { companyId, actor: 'test' }, async (uow) => {
      await updateInvoice(uow, id, { status: 'paid' });
      throw new Error('rolled back');
    });
    await expect(rolledBack).rejects.toThrow('rolled back');
    await expectExact();
  });

  test('after everything at the same time › are exact', async () => {
    const ids = await Promise.all(Array.from({ length: 6 }, () => create()));
    const statuses = ['draft', 'sent', 'paid', 'overdue', 'cancelled'];
    const requests = Array.from({ length: 40 }, (_, n) => {
      const path = `/api/invoices/${ids[n % 6]}`;
      if (n % 8 === 0) return create({ status: statuses[n % 5] });
      if (n % 13 === 0) return caller.delete(path);
      return caller.put(path).send({ status: statuses[(n * 3) % 5] });
    });
    await Promise.all(requests);
    await expectExact();
  });

  test('of one company › are not another’s', async () => {
    await create();
    const other = await createCompany(api.services);
    expect((await api.as(other.token).get('/api/invoices')).body).toMatchObject({ total: 0, totalPages: 0, data: [] });
  });
});
