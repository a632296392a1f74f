import { expenseList } from '../../../shared/expenses';
import { invoiceList } from '../../../shared/invoices';
import { createCompany, createExpense, createInvoice, createKey } from '../../support/factories';
import { plansOf } from '../../support/plans';
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
  clock.set('2027-01-31T05:00:00Z');
  await nothingIsDue(api.services);
  const company = await createCompany(api.services);
  companyId = company.companyId;
  caller = api.as(company.token);
});

type Kind = 'expenses' | 'invoices';
const kinds: Kind[] = ['expenses', 'invoices'];
const oneOf = (kind: Kind): string => kind.slice(0, -1);

async function create(kind: Kind, changes: object = {}): Promise<number> {
  const series = { recurring: 'monthly', ...changes } as const;
  const dates = { issueDate: '2027-01-31', dueDate: '2027-02-14' };
  const made =
    kind === 'expenses'
      ? createExpense(api.services, companyId, { expenseDate: '2027-01-31', ...series })
      : createInvoice(api.services, companyId, { ...dates, ...series });
  return (await made).id;
}

type Body = Record<string, unknown> & { nextDueDate: string | null };
const path = (kind: Kind, id: number, of = 'recurrence'): string => `/api/${kind}/${id}/${of}`;
const get = async (kind: Kind, id: number): Promise<Body> =>
  (await caller.get(path(kind, id)).expect(200)).body as Body;
const put = async (kind: Kind, id: number, changes: object): Promise<Body> =>
  (await caller.put(path(kind, id)).send(changes).expect(200)).body as Body;
const asOf = (day: string) => runAllSchedules(api.services, { asOf: day });
const occurrences = async (kind: Kind, id: number, next = 0): Promise<{ upcoming: string[]; dates: string[] }> => {
  const query = { next, limit: 100, sortOrder: 'asc' };
  const { body } = await caller
    .get(path(kind, id, 'occurrences'))
    .query(query)
    .expect(200);
  const { upcoming, data } = body as { upcoming: string[]; data: { date: string }[] };
  return { upcoming, dates: data.map(({ date }) => date) };
};

const none = (kind: Kind): object => ({
  ...{ recurring: 'none', every: 1, nextDueDate: null, endsOn: null, paused: false },
  ...(kind === 'invoices' && { autoSend: false }),
  seriesId: null,
});

describe.each(kinds)('the recurrence of %s', (kind) => {
  test('of a record that does not recur, of a series and of an occurrence › under the entity tag of the record', async () => {
    expect(await get(kind, await create(kind, { recurring: 'none' }))).toEqual(none(kind));
    const id = await create(kind);
    const { body, headers } = await caller.get(path(kind, id)).expect(200);
    expect(body).toEqual({ ...none(kind), recurring: 'monthly', nextDueDate: '2027-02-28' });
    const record = await caller.get(`/api/${kind}/${id}`).expect(200);
    expect(headers.etag).toBe(record.headers.etag);
    await asOf('2027-02-28');
    const list = (await caller.get(`/api/${kind}`).query({ seriesId: id }).expect(200)).body as {
      data: { id: number }[];
    };
    expect(await get(kind, list.data[0]?.id ?? 0)).toEqual({ ...none(kind), seriesId: id });
  });

  test('PUT changes what it names, raises updatedAt, and its event says what was and is', async () => {
    const id = await create(kind);
    const changes = { every: 3, nextDueDate: '2027-01-31', endsOn: '2027-12-31', paused: true };
    const changed = await caller.put(path(kind, id)).send(changes).expect(200);
    const expected = { ...none(kind), recurring: 'monthly', ...changes };
    expect(changed.body).toEqual(expected);
    expect(await get(kind, id)).toEqual(expected);
    const record = await caller.get(`/api/${kind}/${id}`).expect(200);
    expect(changed.headers.etag).toBe(record.headers.etag);
    const [event] = await api.services.sql.rows<{ data: string }>(
      'SELECT data FROM events WHERE companyId = ? AND type = ? ORDER BY id DESC LIMIT 1',
      [companyId, `${oneOf(kind)}.updated`],
    );
    expect(JSON.parse(String(event?.data))).toMatchObject({
      changed: {
        every: [1, 3],
        nextDueDate: ['2027-02-28', '2027-01-31'],
        endsOn: [null, '2027-12-31'],
        paused: [false, true],
      },
    });
    expect(await put(kind, id, { paused: false })).toEqual({ ...expected, paused: false });
  });

  test('putting back what was read › changes nothing; a changed entity tag › 412', async () => {
    const id = await create(kind);
    await put(kind, id, { every: 2 });
    const { body, headers } = await caller.get(path(kind, id)).expect(200);
    const tag = { 'If-Match': headers.etag ?? '' };
    const again = await caller
      .put(path(kind, id))
      .set(tag)
      .send(body as object)
      .expect(200);
    expect(again.body).toEqual(body);
    await caller
      .put(path(kind, id))
      .set(tag)
      .send(body as object)
      .expect(412);
    const record = (await caller.get(`/api/${kind}/${id}`).expect(200)).body as object;
    await caller.put(`/api/${kind}/${id}`).send(record).expect(200);
    expect(await get(kind, id)).toEqual(body);
  });

  test('every 3 months from January 31 › each quarter, on the last day of its month', async () => {
    const id = await create(kind, { nextDueDate: '2027-01-31' });
    await put(kind, id, { every: 3 });
    expect((await occurrences(kind, id, 3)).upcoming).toEqual(['2027-01-31', '2027-04-30', '2027-07-31']);
    await asOf('2027-09-01');
    expect((await occurrences(kind, id)).dates).toEqual(['2027-01-31', '2027-04-30', '2027-07-31']);
    expect(await get(kind, id)).toMatchObject({ nextDueDate: '2027-10-31' });
  });

  test('another number of periods › continues on the next date, and month ends return', async () => {
    const id = await create(kind);
    expect(await put(kind, id, { every: 3 })).toMatchObject({ nextDueDate: '2027-02-28' });
    expect((await occurrences(kind, id, 3)).upcoming).toEqual(['2027-02-28', '2027-05-31', '2027-08-31']);
    expect(await put(kind, id, { nextDueDate: null })).toMatchObject({ nextDueDate: '2027-04-30' });
  });

  test('no occurrence after endsOn; a later end › continues, and catches nothing up', async () => {
    const id = await create(kind);
    await put(kind, id, { endsOn: '2027-03-31' });
    expect((await occurrences(kind, id, 12)).upcoming).toEqual(['2027-02-28', '2027-03-31']);
    await asOf('2027-12-31');
    expect((await occurrences(kind, id, 12)).dates).toEqual(['2027-02-28', '2027-03-31']);
    const ended = await get(kind, id);
    expect(ended).toMatchObject({ recurring: 'monthly', nextDueDate: null, endsOn: '2027-03-31' });
    expect(await put(kind, id, ended)).toEqual(ended);
    clock.set('2027-06-15T05:00:00Z');
    expect(await put(kind, id, { endsOn: null })).toMatchObject({ nextDueDate: '2027-06-30' });
  });

  test('while paused › none, and none later for the days that passed', async () => {
    const id = await create(kind);
    await put(kind, id, { paused: true });
    expect((await occurrences(kind, id, 12)).upcoming).toEqual([]);
    expect((await asOf('2027-04-15')).created).toEqual([]);
    expect(await get(kind, id)).toMatchObject({ paused: true, nextDueDate: '2027-04-30' });
    await put(kind, id, { paused: false });
    await asOf('2027-05-31');
    expect((await occurrences(kind, id)).dates).toEqual(['2027-04-30', '2027-05-31']);
  });

  test('resumed after no scan ran meanwhile › the days that passed are not created either', async () => {
    const id = await create(kind);
    await put(kind, id, { paused: true });
    clock.set('2027-04-15T05:00:00Z');
    expect(await put(kind, id, { paused: false })).toMatchObject({ nextDueDate: '2027-04-30' });
  });

  test('made with a past date, or off and on again › nextDueDate lies ahead', async () => {
    const old =
      kind === 'expenses' ? { expenseDate: '2020-01-31' } : { issueDate: '2020-01-31', dueDate: '2020-01-31' };
    expect(await get(kind, await create(kind, old))).toMatchObject({ nextDueDate: '2027-01-31' });
    const id = await create(kind);
    await put(kind, id, { every: 2, nextDueDate: '2027-02-28' });
    expect(await put(kind, id, { recurring: 'none' })).toEqual(none(kind));
    clock.set('2027-06-15T05:00:00Z');
    expect(await put(kind, id, { recurring: 'monthly' })).toMatchObject({ every: 1, nextDueDate: '2027-06-30' });
  });

  test.each([
    [{ every: 0 }, 'every'],
    [{ every: 37 }, 'every'],
    [{ every: 1.5 }, 'every'],
    [{ every: '3' }, 'every'],
    [{ every: null }, 'every'],
    [{ endsOn: '2027-02-30' }, 'endsOn'],
    [{ endsOn: '2027-02-27' }, 'endsOn'],
    [{ endsOn: '2027-03-01', nextDueDate: '2027-03-02' }, 'endsOn'],
    [{ nextDueDate: '2027-01-30' }, 'nextDueDate'],
    [{ paused: 1 }, 'paused'],
    [{ paused: null }, 'paused'],
    [{ recurring: 'hourly' }, 'recurring'],
    [{ vendor: 'x' }, 'vendor'],
  ])('%j › 400 at %s', async (changes, at) => {
    const id = await create(kind);
    const { body } = await caller.put(path(kind, id)).send(changes).expect(400);
    expect(body).toMatchObject({ code: 'validation_failed', errors: [{ path: at }] });
    expect(await get(kind, id)).toMatchObject({ nextDueDate: '2027-02-28', endsOn: null });
  });

  test('a nextDueDate after the end › 400; options of a record that is no series › 400 unless it becomes none', async () => {
    const id = await create(kind);
    await put(kind, id, { endsOn: '2027-03-31' });
    const { body } = await caller.put(`/api/${kind}/${id}`).send({ nextDueDate: '2027-04-01' }).expect(400);
    expect(body).toMatchObject({ errors: [{ path: 'nextDueDate' }] });
    const single = await create(kind, { recurring: 'none' });
    const refused = await caller.put(path(kind, single)).send({ every: 3 }).expect(400);
    expect(refused.body).toMatchObject({ errors: [{ path: 'every' }] });
    expect(await put(kind, single, { recurring: 'none', every: 3 })).toEqual(none(kind));
  });

  test('another company’s, an unknown or a deleted record › 404; a key that only reads › 403', async () => {
    const id = await create(kind);
    const theirs = api.as((await createCompany(api.services)).token);
    await theirs.get(path(kind, id)).expect(404);
    await theirs.put(path(kind, id)).send({ paused: true }).expect(404);
    await caller.put(path(kind, 999_999)).send({ paused: true }).expect(404);
    const { token } = await createKey(api.services, companyId, { scopes: ['read'] });
    await api.as(token).get(path(kind, id)).expect(200);
    await api.as(token).put(path(kind, id)).send({ paused: true }).expect(403);
    await caller.delete(`/api/${kind}/${id}`).expect(200);
    await caller.get(path(kind, id)).expect(404);
    await caller.put(path(kind, id)).send({ paused: true }).expect(404);
    await caller.get(path(kind, id)).query({ includeDeleted: true }).expect(200);
    await asOf('2027-12-31');
    const { body } = await caller.get(`/api/${kind}`).query({ seriesId: id, includeDeleted: true }).expect(200);
    expect(body).toMatchObject({ total: 0 });
  });

  test('lists take a value of recurring, any for all series, and seriesId', async () => {
    const [monthly, weekly] = [await create(kind), await create(kind, { recurring: 'weekly' })];
    const single = await create(kind, { recurring: 'none' });
    await asOf('2027-02-28');
    const ids = async (query: object): Promise<number[]> => {
      const { body } = await caller
        .get(`/api/${kind}`)
        .query({ limit: 100, sortBy: 'id', ...query })
        .expect(200);
      return (body as { data: { id: number }[] }).data.map(({ id }) => id).sort((a, b) => a - b);
    };
    expect(await ids({ recurring: 'monthly' })).toEqual([monthly]);
    expect(await ids({ recurring: 'any' })).toEqual([monthly, weekly]);
    expect(await ids({ recurring: 'daily' })).toEqual([]);
    expect((await ids({ recurring: 'none' })).slice(0, 1)).toEqual([single]);
    expect(await ids({ seriesId: weekly })).toHaveLength(4);
    expect(await ids({ seriesId: single })).toEqual([]);
    for (const query of [{ recurring: 'hourly' }, { seriesId: 0 }, { seriesId: 'x' }]) {
      await caller.get(`/api/${kind}`).query(query).expect(400);
    }
  });
});

test('autoSend › is of invoices alone', async () => {
  const invoice = await create('invoices');
  expect(await put('invoices', invoice, { autoSend: true })).toMatchObject({ autoSend: true });
  expect(await put('invoices', invoice, { recurring: 'none' })).toMatchObject({ autoSend: false });
  await caller.put(path('invoices', invoice)).send({ autoSend: true }).expect(400);
  const { body } = await caller
    .put(path('expenses', await create('expenses')))
    .send({ autoSend: true })
    .expect(400);
  expect(body).toMatchObject({ errors: [{ path: 'autoSend' }] });
});

test('the filters of lists › walk an index among thousands of records', async () => {
  const { sql } = api.services;
  const [expense, invoice] = [await create('expenses'), await create('invoices')];
  await asOf('2027-02-28');
  for (const [table, id] of [
    ['expenses', expense],
    ['invoices', invoice],
  ] as const) {
    const columns = (
      await sql.rows<{ name: string }>(
        `SELECT column_name AS name FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = ?
        AND column_name NOT IN ('id', 'recurring', 'invoiceNumber', 'dueAt', 'seriesId', 'occurrenceDate')
        AND extra NOT LIKE '%GENERATED%'`,
        [table],
      )
    ).map(({ name }) => name);
    await sql.run(
      `INSERT INTO ${table} (recurring, ${columns.join(', ')})
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900)
        SELECT 'none', ${columns.map((name) => `r.${name}`).join(', ')} FROM ${table} r CROSS JOIN n
          WHERE r.companyId = ? AND r.id = ?`,
      [companyId, id],
    );
    await sql.rows(`ANALYZE TABLE ${table}`);
  }
  const keysOf = async (list: typeof expenseList | typeof invoiceList, query: object): Promise<unknown[]> => {
    const request = { page: 1, limit: 10, sortOrder: 'desc', status: 'all', ...query } as const;
    const [steps = []] = await plansOf(sql, (read) => list.read(read, companyId, request as never));
    return steps.filter(({ table, key }) => ['e', 'i'].includes(table) && key !== 'PRIMARY').map(({ key }) => key);
  };
  for (const [list, table, sortBy] of [
    [expenseList, 'expenses', 'expenseDate'],
    [invoiceList, 'invoices', 'createdAt'],
  ] as const) {
    const byRecurring = `${table}_by_recurring`;
    expect(await keysOf(list, { sortBy, recurring: 'monthly' })).toEqual([byRecurring, byRecurring]);
    expect(await keysOf(list, { sortBy, recurring: 'any' })).toEqual([byRecurring, byRecurring]);
    const bySeries = `${table}_occurrence`;
    const seriesId = table === 'expenses' ? expense : invoice;
    expect(await keysOf(list, { sortBy, seriesId })).toEqual([bySeries, bySeries]);
  }
});
