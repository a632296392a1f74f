import { addDays } from '../../../shared/dates/dates';
import { createCompany, createExpense, createInvoice, createKey } from '../../support/factories';
import { nothingIsDue, runAllSchedules, SetClock } from '../../support/schedules';
import { startApi, type Caller, type TestApi } from '../../support/server';

const clock = new SetClock('2027-01-31T05:00:00Z');
let api: TestApi;
let caller: Caller;
let companyId: number;

beforeAll(async () => {
  api = await startApi({ clock });
});
beforeEach(async () => {
  await nothingIsDue(api.services);
  const company = await createCompany(api.services);
  companyId = company.companyId;
  caller = api.as(company.token);
});

interface Occurrences {
  upcoming: string[];
  data: { id: number; date: string; status: string; softDelete: boolean; invoiceNumber?: string }[];
  total: number;
}

type Kind = 'expenses' | 'invoices';
const kinds: Kind[] = ['expenses', 'invoices'];

async function create(kind: Kind, changes: object = {}): Promise<number> {
  const series = { recurring: 'monthly', ...changes } as const;
  const dates = { issueDate: '2027-01-31', dueDate: '2027-02-14' };
  const made =
    kind === 'expenses'
      ? createExpense(api.services, companyId, { expenseDate: '2027-01-31', ...series })
      : createInvoice(api.services, companyId, { ...dates, ...series });
  return (await made).id;
}
const path = (kind: Kind, id: number | string): string => `/api/${kind}/${id}/occurrences`;
const get = async (kind: Kind, id: number, query: object = {}): Promise<Occurrences> =>
  (await caller.get(path(kind, id)).query(query).expect(200)).body as Occurrences;
const asOf = (day: string) => runAllSchedules(api.services, { asOf: day });

describe.each(kinds)('GET /api/%s/{id}/occurrences', (kind) => {
  test('of a series › what exists, the newest first, and the next twelve dates', async () => {
    const id = await create(kind);
    await asOf('2027-03-31');
    const body = await get(kind, id);
    const occurrence = (date: string, n: number): object => ({
      id: expect.any(Number) as number,
      date,
      ...(kind === 'invoices' && { invoiceNumber: `INV-2027-0000${n}` }),
      status: kind === 'invoices' ? 'draft' : 'pending',
      softDelete: false,
    });
    expect(body).toEqual({
      recurring: 'monthly',
      nextDueDate: '2027-04-30',
      seriesId: null,
      upcoming: [
        ...['2027-04-30', '2027-05-31', '2027-06-30', '2027-07-31', '2027-08-31', '2027-09-30'],
        ...['2027-10-31', '2027-11-30', '2027-12-31', '2028-01-31', '2028-02-29', '2028-03-31'],
      ],
      data: [occurrence('2027-03-31', 3), occurrence('2027-02-28', 2)],
      total: 2,
      page: 1,
      limit: 10,
      totalPages: 1,
    });
    const keys = ['recurring', 'nextDueDate', 'seriesId', 'upcoming', 'data', 'total', 'page', 'limit', 'totalPages'];
    expect(Object.keys(body)).toEqual(keys);
  });

  test('of an occurrence › names its series, and has none of its own', async () => {
    const id = await create(kind);
    await asOf('2027-02-28');
    const [made] = (await get(kind, id)).data;
    expect(await get(kind, made?.id ?? 0)).toEqual({
      recurring: 'none',
      nextDueDate: null,
      seriesId: id,
      upcoming: [],
      data: [],
      total: 0,
      page: 1,
      limit: 10,
      totalPages: 0,
    });
  });

  test('next › is how many dates to come: 0 none, more than 100 count as 100', async () => {
    const id = await create(kind, { recurring: 'daily' });
    expect((await get(kind, id, { next: 0 })).upcoming).toEqual([]);
    expect((await get(kind, id, { next: 3 })).upcoming).toEqual(['2027-02-01', '2027-02-02', '2027-02-03']);
    expect((await get(kind, id, { next: '' })).upcoming).toHaveLength(12);
    for (const next of [100, 101, 1_000_000]) expect((await get(kind, id, { next })).upcoming).toHaveLength(100);
  });

  test('pages › are of ten by default, in order of the date, up or down, and never overlap', async () => {
    const id = await create(kind, { recurring: 'daily' });
    await asOf('2027-02-23');
    const dates = Array.from({ length: 23 }, (_, n) => `2027-02-${String(n + 1).padStart(2, '0')}`);
    const datesOf = async (query: object): Promise<string[]> =>
      (await get(kind, id, query)).data.map(({ date }) => date);
    const pages = [await datesOf({}), await datesOf({ page: 2 }), await datesOf({ page: 3 })];
    expect(pages.map(({ length }) => length)).toEqual([10, 10, 3]);
    expect(pages.flat()).toEqual([...dates].reverse());
    expect(await datesOf({ sortOrder: 'asc', sortBy: 'date', limit: 100 })).toEqual(dates);
    expect(await get(kind, id, { page: 4 })).toMatchObject({ data: [], total: 23, totalPages: 3 });
    expect(await get(kind, id, { limit: 101 })).toMatchObject({ limit: 100, totalPages: 1 });
    expect(await get(kind, id, { page: 3, limit: 5 })).toMatchObject({ page: 3, limit: 5, totalPages: 5 });
  });

  test('deleted occurrences › are shown as such: they are not made again', async () => {
    const id = await create(kind);
    await asOf('2027-03-31');
    const [, february] = (await get(kind, id)).data;
    await caller.delete(`/api/${kind}/${february?.id ?? 0}`).expect(200);
    const after = await get(kind, id);
    expect(after.data.map(({ date, softDelete }) => [date, softDelete])).toEqual([
      ['2027-03-31', false],
      ['2027-02-28', true],
    ]);
    expect(after.total).toBe(2);
  });

  test('a series that was set back › passes over what exists', async () => {
    const id = await create(kind);
    await asOf('2027-03-31');
    const [march] = (await get(kind, id)).data;
    await caller.delete(`/api/${kind}/${march?.id ?? 0}`).expect(200);
    await caller.put(`/api/${kind}/${id}`).send({ nextDueDate: '2027-02-28' }).expect(200);
    const body = await get(kind, id, { next: 2 });
    expect(body).toMatchObject({ nextDueDate: '2027-02-28', upcoming: ['2027-04-30', '2027-05-31'] });
  });

  test('days before it was made a series › are not to come', async () => {
    const old =
      kind === 'expenses' ? { expenseDate: '2020-01-31' } : { issueDate: '2020-01-31', dueDate: '2020-01-31' };
    const id = await create(kind, old);
    expect(await get(kind, id, { next: 2 })).toMatchObject({
      nextDueDate: '2027-01-31',
      upcoming: ['2027-01-31', '2027-02-28'],
    });
  });

  test('what was due and is not made yet › is to come first, until the calendar’s end', async () => {
    const id = await create(kind, { nextDueDate: '9999-10-31' });
    expect((await get(kind, id)).upcoming).toEqual(['9999-10-31', '9999-11-30', '9999-12-31']);
  });

  test('a stopped or deleted series › has what exists, and nothing to come', async () => {
    const [stopped, deleted] = [await create(kind), await create(kind)];
    await asOf('2027-02-28');
    await caller.put(`/api/${kind}/${stopped}`).send({ recurring: 'none', nextDueDate: '2027-05-01' }).expect(200);
    await caller.delete(`/api/${kind}/${deleted}`).expect(200);
    expect(await get(kind, stopped)).toMatchObject({
      recurring: 'none',
      nextDueDate: '2027-05-01',
      upcoming: [],
      total: 1,
    });
    await caller.get(path(kind, deleted)).expect(404);
    expect(await get(kind, deleted, { includeDeleted: true })).toMatchObject({ upcoming: [], total: 1 });
  });

  test('another company’s, an unknown, or a number of the other kind › 404; no number › 400', async () => {
    const other = await createCompany(api.services);
    const id = await create(kind);
    const theirs = api.as(other.token);
    await theirs.get(path(kind, id)).expect(404);
    await theirs.get(path(kind, id)).query({ includeDeleted: true }).expect(404);
    for (const unknown of ['0', '999999', '99999999999999999999']) await caller.get(path(kind, unknown)).expect(404);
    await caller.get(path(kind, 'x')).expect(400);
  });

  test.each([
    ['next', '-1'],
    ['next', '1.5'],
    ['next', 'x'],
    ['page', '0'],
    ['limit', '0'],
    ['sortBy', 'id'],
    ['sortOrder', 'up'],
    ['includeDeleted', 'yes'],
  ])('%s=%s › 400 naming the parameter', async (name, value) => {
    const { body } = await caller
      .get(path(kind, 1))
      .query({ [name]: value })
      .expect(400);
    expect(body).toMatchObject({ code: 'validation_failed', errors: [{ path: name }] });
  });

  test('needs a key, and no more than one that reads', async () => {
    const id = await create(kind);
    await api.as().get(path(kind, id)).expect(401);
    const { token } = await createKey(api.services, companyId, { scopes: ['read'] });
    await api.as(token).get(path(kind, id)).expect(200);
    const { headers } = await caller.post(path(kind, id)).send({}).expect(405);
    expect(headers['allow']).toMatch('GET');
  });
});

test('a series that was set back over thousands of occurrences › passes over them, a limited number at a time', async () => {
  const id = await create('expenses', { recurring: 'daily' });
  await asOf('2027-02-01');
  const columns = 'companyId, categoryId, vendor, description, amount, currency, expenseDate, status, recurring';
  await api.services.sql.run(
    `INSERT INTO expenses (${columns}, seriesId, occurrenceDate, createdAt, updatedAt)
      WITH RECURSIVE numbers AS (SELECT 0 AS n UNION ALL SELECT n + 1 FROM numbers WHERE n < 99)
      SELECT ${columns}, seriesId, DATE_ADD(occurrenceDate, INTERVAL 1 + a.n + 100 * b.n DAY), createdAt, updatedAt
        FROM expenses, numbers a, numbers b WHERE companyId = ? AND seriesId = ? AND b.n < 70`,
    [companyId, id],
  );
  const rows = jest.spyOn(api.services.sql, 'rows');
  expect(await get('expenses', id, { next: 2 })).toMatchObject({
    total: 7_001,
    upcoming: [addDays('2027-02-02', 7_000), addDays('2027-02-02', 7_001)],
  });
  const read = await Promise.all(rows.mock.results.map(({ value }) => value as Promise<object[]>));
  expect(Math.max(...read.map(({ length }) => length))).toBeLessThanOrEqual(5_000);
});
