import { createCategory, createClient, createCompany, createExpense, createInvoice } from '../../support/factories';
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

interface CursorPage {
  data: { id: number }[];
  limit: number;
  total: number;
  nextCursor: string | null;
}

const pageOf = async (path: string, query: object): Promise<CursorPage> =>
  (await caller.get(path).query(query).expect(200)).body as CursorPage;

/** Follows the cursor to the end; `between` runs after each page. */
async function followed(
  path: string,
  query: object,
  between = (): Promise<void> => Promise.resolve(),
): Promise<number[]> {
  const ids: number[] = [];
  for (let cursor: string | null = ''; cursor !== null; await between()) {
    const page: CursorPage = await pageOf(path, { ...query, cursor });
    ids.push(...page.data.map(({ id }) => id));
    cursor = page.nextCursor;
    if (ids.length > 500) throw new Error('the list has no end');
  }
  return ids;
}

const create = async (changes: object = {}): Promise<number> =>
  (await createInvoice(api.services, companyId, { clientId, ...changes })).id;
const errorOf = async (query: object): Promise<unknown> =>
  ((await caller.get('/api/invoices').query(query).expect(400)).body as { errors: unknown[] }).errors[0];

describe('cursor', () => {
  test('empty › begins; the envelope has no page, and ends with null', async () => {
    const ids = [await create(), await create(), await create()];
    const first = await pageOf('/api/invoices', { cursor: '', limit: 2, sortBy: 'id' });
    expect({ ...first, data: [] }).toEqual({ data: [], limit: 2, total: 3, nextCursor: expect.any(String) as string });
    expect(first.data.map(({ id }) => id)).toEqual([ids[2], ids[1]]);
    const last = await pageOf('/api/invoices', { cursor: first.nextCursor, limit: 2, sortBy: 'id' });
    expect(last).toMatchObject({ data: [{ id: ids[0] }], limit: 2, total: 3, nextCursor: null });
  });

  test('no records › an empty page at the end', async () => {
    const empty = { data: [], limit: 10, total: 0, nextCursor: null };
    expect(await pageOf('/api/invoices', { cursor: '' })).toEqual(empty);
  });

  test.each(['id', 'createdAt', 'updatedAt', 'issueDate'])('by %s › the order of pages, ties by id', async (sortBy) => {
    for (let n = 0; n < 12; n++) await create({ issueDate: `2026-01-0${1 + (n % 3)}` });
    // Ties, and times that differ by the least that a column holds; one is a whole second, and midnight.
    await api.services.sql.run(
      "UPDATE invoices SET createdAt = '2026-01-01 00:00:00.000' + INTERVAL (id MOD 2) * 1000 MICROSECOND WHERE companyId = ?",
      [companyId],
    );
    for (const sortOrder of ['asc', 'desc']) {
      const { data } = await pageOf('/api/invoices', { sortBy, sortOrder, limit: 100 });
      expect(await followed('/api/invoices', { sortBy, sortOrder, limit: 1 })).toEqual(data.map(({ id }) => id));
      expect(await followed('/api/invoices', { sortBy, sortOrder, limit: 4 })).toEqual(data.map(({ id }) => id));
    }
  });

  test('while others are inserted › every record that was there once', async () => {
    const ids: number[] = [];
    for (let n = 0; n < 20; n++) ids.push(await create({ issueDate: '2026-01-05' }));
    for (const [sortBy, sortOrder] of [
      ['createdAt', 'desc'],
      ['createdAt', 'asc'],
      ['issueDate', 'desc'],
    ]) {
      const before = new Set(ids);
      const insert = async (): Promise<void> => {
        for (const issueDate of ['2026-01-01', '2026-01-05', '2026-01-09']) await create({ issueDate });
      };
      let inserts = 0;
      const bounded = async (): Promise<void> => (inserts++ < 5 ? insert() : undefined);
      const seen = (await followed('/api/invoices', { sortBy, sortOrder, limit: 3 }, bounded)).filter((id) =>
        before.has(id),
      );
      expect(seen.sort((a, b) => a - b)).toEqual(ids);
    }
  });

  test('with filters and deleted ones › narrows data and total alike', async () => {
    const kept = await create({ currency: 'USD' });
    const gone = await create({ currency: 'USD' });
    await create({ currency: 'IDR' });
    await caller.delete(`/api/invoices/${gone}`).expect(200);
    expect(await followed('/api/invoices', { currency: 'USD', limit: 1 })).toEqual([kept]);
    expect(await followed('/api/invoices', { currency: 'USD', limit: 1, includeDeleted: true })).toEqual([gone, kept]);
  });

  test('the other lists › have it too', async () => {
    const categoryId = (await createCategory(api.services, companyId)).id;
    const expenses = [];
    for (let n = 0; n < 3; n++) expenses.push((await createExpense(api.services, companyId, { categoryId })).id);
    expect(await followed('/api/expenses', { limit: 1 })).toEqual(expenses.reverse());
    expect(await followed('/api/clients', { limit: 1 })).toEqual([clientId]);
    expect(await followed('/api/categories', { limit: 1, sortBy: 'updatedAt' })).toEqual([categoryId]);
  });

  test('payments › with the balance beside, for this invoice alone', async () => {
    const [one, other] = [await create({ status: 'sent' }), await create({ status: 'sent' })];
    for (const id of [one, one, other]) {
      await caller.post(`/api/invoices/${id}/payments`).send({ amount: '1.00' }).expect(201);
    }
    for (const sortBy of ['id', 'paidAt', 'createdAt']) {
      const path = `/api/invoices/${one}/payments`;
      const page = await pageOf(path, { cursor: '', limit: 1, sortBy });
      expect(page).toMatchObject({ total: 2, balance: { paid: '2.00' } });
      expect(page).not.toHaveProperty('page');
      expect(new Set(await followed(path, { limit: 1, sortBy })).size).toBe(2);
      const foreign = { cursor: page.nextCursor, limit: 1, sortBy };
      await caller.get(`/api/invoices/${other}/payments`).query(foreign).expect(400);
    }
  });

  test('of another sorting, list, company or version, or none at all › 400 naming it', async () => {
    await create();
    await create();
    const { nextCursor } = await pageOf('/api/invoices', { cursor: '', limit: 1, sortBy: 'id' });
    const parts = JSON.parse(Buffer.from(nextCursor ?? '', 'base64url').toString()) as unknown[];
    const forged = (at: number, value: unknown): string =>
      Buffer.from(JSON.stringify(parts.with(at, value))).toString('base64url');
    for (const cursor of [
      'x',
      '0',
      'bnVsbA',
      forged(0, 0),
      forged(1, '1/invoices'),
      forged(4, 7),
      forged(5, "1' OR 1"),
    ]) {
      expect([cursor, await errorOf({ cursor, sortBy: 'id' })]).toEqual([
        cursor,
        expect.objectContaining({ path: 'cursor' }),
      ]);
    }
    const created = forged(2, 'createdAt');
    expect(await errorOf({ cursor: created, sortBy: 'createdAt' })).toMatchObject({ path: 'cursor' });
    expect(await errorOf({ cursor: nextCursor, sortBy: 'createdAt' })).toMatchObject({ path: 'cursor' });
    expect(await errorOf({ cursor: nextCursor, sortBy: 'id', sortOrder: 'asc' })).toMatchObject({ path: 'cursor' });
    expect(await errorOf({ cursor: 'x'.repeat(251) })).toMatchObject({ path: 'cursor' });
    const twice = await caller.get('/api/invoices?cursor=&cursor=').expect(400);
    expect(twice.body).toMatchObject({ errors: [{ path: 'cursor' }] });
    const { token } = await createCompany(api.services);
    await api.as(token).get('/api/invoices').query({ cursor: nextCursor, sortBy: 'id' }).expect(400);
    await caller.get('/api/clients').query({ cursor: nextCursor, sortBy: 'id' }).expect(400);
  });

  test('another sorting, or a page beside it › 400', async () => {
    for (const sortBy of ['total', 'dueDate', 'paidAt']) {
      expect(await errorOf({ cursor: '', sortBy })).toMatchObject({ path: 'sortBy' });
    }
    expect(await errorOf({ cursor: '', page: 1 })).toMatchObject({ path: 'page' });
  });
});
