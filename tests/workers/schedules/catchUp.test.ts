import type { Services } from '../../../shared/services';
import { recurringExpenses } from '../../../shared/expenses/recurringExpenses';
import { createCategory, createCompany, createExpense } from '../../support/factories';
import { datesOf, multiplySeries, nothingIsDue, runAllSchedules, seriesOf } from '../../support/schedules';
import { SetClock, wrongCounts } from '../../support/schedules';
import { startApi, type Caller, type TestApi } from '../../support/server';

const clock = new SetClock('2027-01-10T05:00:00Z');
let api: TestApi;
let services: Services;
let companyId: number;
let caller: Caller;

beforeAll(async () => {
  api = await startApi({ clock });
  services = api.services;
});
beforeEach(async () => {
  await nothingIsDue(services);
  clock.set('2027-01-10T05:00:00Z');
  const company = await createCompany(services);
  companyId = company.companyId;
  caller = api.as(company.token);
});

const create = async (changes: object = {}): Promise<number> =>
  (await createExpense(services, companyId, { expenseDate: '2027-01-10', ...changes })).id;
const put = (id: number, body: object) => caller.put(`/api/expenses/${id}`).send(body).expect(200);
const get = async (id: number): Promise<Record<string, unknown>> =>
  (await caller.get(`/api/expenses/${id}`).expect(200)).body as Record<string, unknown>;
const at = async (moment: string): Promise<string[]> => {
  clock.set(moment);
  const { created, failed } = await runAllSchedules(services);
  expect(failed).toEqual([]);
  return created.map(({ date }) => date);
};

/** How many occurrences were made at each moment, which is that of one transaction. */
async function sizesOfTransactions(): Promise<number[]> {
  const rows = await services.sql.rows<{ made: number }>(
    `SELECT COUNT(*) AS made FROM events WHERE companyId = ? AND actor LIKE 'schedule:%' GROUP BY createdAt ORDER BY createdAt`,
    [companyId],
  );
  return rows.map(({ made }) => Number(made));
}

describe('down for three months', () => {
  test('every missed date is made, each once, the oldest first', async () => {
    const monthly = await create({ expenseDate: '2026-12-31', nextDueDate: '2027-01-31', recurring: 'monthly' });
    const weekly = await create({ recurring: 'weekly' });
    const made = await at('2027-04-10T05:00:00Z');
    expect(made[0]).toBe('2027-01-17');
    expect(await datesOf(services, monthly)).toEqual(['2027-01-31', '2027-02-28', '2027-03-31']);
    const weeks = await datesOf(services, weekly);
    expect([weeks.length, weeks[0], weeks.at(-1)]).toEqual([12, '2027-01-17', '2027-04-04']);
    const ids = await services.sql.rows<{ date: string }>(
      'SELECT occurrenceDate AS date FROM expenses WHERE seriesId = ? ORDER BY id',
      [weekly],
    );
    expect(ids.map(({ date }) => date)).toEqual(weeks);
    expect(await at('2027-04-10T06:00:00Z')).toEqual([]);
  });

  test('a daily series of 1,000 days is caught up in bounded transactions', async () => {
    const id = await create({ recurring: 'daily' });
    const start = Date.parse('2029-10-06T05:00:00Z');
    let transactions = 0;
    const performForInstallation: Services['performForInstallation'] = (actor, work) =>
      services.performForInstallation(actor, (uow) => work({ ...uow, now: new Date(start + transactions++) }));
    clock.set(new Date(start));
    const { created } = await runAllSchedules({ ...services, performForInstallation });
    expect(created).toHaveLength(1_000);
    const dates = await datesOf(services, id);
    expect([dates.length, dates[0], dates.at(-1)]).toEqual([1_000, '2027-01-11', '2029-10-06']);
    expect(created.map(({ date }) => date)).toEqual(dates);
    expect(await sizesOfTransactions()).toEqual([400, 400, 200]);
    expect(Math.max(...(await sizesOfTransactions()))).toBeLessThanOrEqual(recurringExpenses.batch.occurrences);
    expect(await seriesOf(services, id)).toMatchObject({ nextDueDate: '2029-10-07', dueAt: '2029-10-06 17:00:00' });
  });

  test('450 series with three dates each, more than one batch, are all caught up', async () => {
    const ids = await multiplySeries(services, await create({ recurring: 'daily' }), 450);
    expect(ids).toHaveLength(450);
    const made = await at('2027-01-13T05:00:00Z');
    expect(made).toHaveLength(1_350);
    const [wrong] = await services.sql.rows<{ series: number; made: number }>(
      `SELECT COUNT(*) AS made, COUNT(DISTINCT seriesId) AS series FROM expenses
        WHERE companyId = ? AND occurrenceDate BETWEEN '2027-01-11' AND '2027-01-13'`,
      [companyId],
    );
    expect(wrong).toEqual({ made: 1_350, series: 450 });
    expect(await wrongCounts(services, companyId)).toEqual([]);
    expect(await at('2027-01-13T05:00:01Z')).toEqual([]);
  });
});

describe('days before it was made a series', () => {
  test('are passed over, and the next date that will be created is shown', async () => {
    const id = await create({ expenseDate: '2020-01-31', recurring: 'monthly' });
    expect(await get(id)).toMatchObject({ nextDueDate: '2027-01-31' });
    expect(await at('2027-01-10T05:00:00Z')).toEqual([]);
    expect(await get(id)).toMatchObject({ nextDueDate: '2027-01-31' });
    expect(await at('2027-02-28T05:00:00Z')).toEqual(['2027-01-31', '2027-02-28']);
  });

  test('end with that day itself, as it is in the company’s time zone', async () => {
    // In Jakarta it is the 11th by now.
    clock.set('2027-01-10T17:30:00Z');
    const id = await create({ expenseDate: '2027-01-09', nextDueDate: '2027-01-09', recurring: 'daily' });
    expect(await at('2027-01-10T17:30:00Z')).toEqual(['2027-01-11']);
    expect(await get(id)).toMatchObject({ nextDueDate: '2027-01-12' });
  });

  test('do not come back by changing it', async () => {
    const id = await create({ expenseDate: '2026-01-01', recurring: 'weekly', nextDueDate: '2027-02-01' });
    await put(id, { nextDueDate: '2026-06-01', vendor: 'Other' });
    expect(await at('2027-01-12T05:00:00Z')).toEqual(['2027-01-11']);
  });
});

describe('a series that is stopped', () => {
  test('and resumed › makes no days of the pause', async () => {
    const id = await create({ recurring: 'daily' });
    expect(await at('2027-01-11T05:00:00Z')).toEqual(['2027-01-11']);
    await put(id, { recurring: 'none' });
    expect(await at('2027-01-20T05:00:00Z')).toEqual([]);
    await put(id, { recurring: 'daily' });
    expect(await at('2027-01-20T06:00:00Z')).toEqual(['2027-01-20']);
    expect(await at('2027-01-21T05:00:00Z')).toEqual(['2027-01-21']);
  });

  test('by soft delete › makes nothing ever again, as of any day', async () => {
    const id = await create({ recurring: 'daily' });
    await caller.delete(`/api/expenses/${id}`).expect(200);
    expect(await at('2027-03-01T05:00:00Z')).toEqual([]);
    expect((await runAllSchedules(services, { asOf: '2028-01-01' })).created).toEqual([]);
  });
});

describe('what a scan does not make again', () => {
  test('are the dates of a series that is set back', async () => {
    const id = await create({ recurring: 'daily' });
    await at('2027-01-14T05:00:00Z');
    await put(id, { nextDueDate: '2027-01-12' });
    expect(await at('2027-01-15T05:00:00Z')).toEqual(['2027-01-15']);
    expect(await datesOf(services, id)).toHaveLength(5);
    await put(id, { nextDueDate: null });
    expect(await at('2027-01-16T05:00:00Z')).toEqual(['2027-01-16']);
  });

  test('is an occurrence that was deleted', async () => {
    const id = await create({ recurring: 'daily' });
    await at('2027-01-12T05:00:00Z');
    const [row] = await services.sql.rows<{ id: number }>('SELECT MAX(id) AS id FROM expenses WHERE seriesId = ?', [
      id,
    ]);
    await caller.delete(`/api/expenses/${row?.id ?? 0}`).expect(200);
    await put(id, { nextDueDate: '2027-01-11' });
    expect(await at('2027-01-13T05:00:00Z')).toEqual(['2027-01-13']);
  });

  test('are dates of another series on the same days', async () => {
    const [one, two] = [await create({ recurring: 'daily' }), await create({ recurring: 'daily' })];
    await at('2027-01-12T05:00:00Z');
    await put(one, { nextDueDate: '2027-01-11' });
    await at('2027-01-13T05:00:00Z');
    expect(await datesOf(services, one)).toEqual(await datesOf(services, two));
    expect(await datesOf(services, two)).toEqual(['2027-01-11', '2027-01-12', '2027-01-13']);
  });
});

test('a series whose category was deleted since goes on', async () => {
  const { id: categoryId } = await createCategory(services, companyId, 'Gone');
  const id = await create({ categoryId, recurring: 'daily' });
  await caller.delete(`/api/categories/${categoryId}`).expect(200);
  expect(await at('2027-01-11T05:00:00Z')).toEqual(['2027-01-11']);
  expect(await datesOf(services, id)).toHaveLength(1);
});

test('a PUT of what GET showed changes nothing but the version, not the anchor either', async () => {
  const id = await create({ expenseDate: '2026-12-31', nextDueDate: '2027-01-31', recurring: 'monthly' });
  await at('2027-01-31T05:00:00Z');
  const shown = await get(id);
  expect(shown['nextDueDate']).toBe('2027-02-28');
  const before = await seriesOf(services, id);
  const { body } = await put(id, shown);
  const { updatedAt: _was, category: _category, ...same } = shown;
  expect(body).toMatchObject(same);
  expect(await seriesOf(services, id)).toEqual(before);
  expect(await at('2027-03-31T05:00:00Z')).toEqual(['2027-02-28', '2027-03-31']);
});

test('another next date is a new anchor, and what is made from then on follows it', async () => {
  const id = await create({ expenseDate: '2026-12-31', nextDueDate: '2027-01-31', recurring: 'monthly' });
  await put(id, { nextDueDate: '2027-02-15' });
  expect(await at('2027-04-30T05:00:00Z')).toEqual(['2027-02-15', '2027-03-15', '2027-04-15']);
});
