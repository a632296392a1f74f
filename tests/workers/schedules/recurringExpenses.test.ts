import { createCategory, createCompany, createExpense, createKey } from '../../support/factories';
import { datesOf, nothingIsDue, runAllSchedules, seriesOf, SetClock, wrongCounts } from '../../support/schedules';
import { startApi, type Caller, type TestApi } from '../../support/server';
import type { ExpenseRecord } from '../../../shared/expenses/record';
import type { Services } from '../../../shared/services';

const clock = new SetClock('2027-01-31T05:00:00Z');
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
  clock.set('2027-01-31T05:00:00Z');
  const company = await createCompany(services);
  companyId = company.companyId;
  caller = api.as(company.token);
});

const create = (changes: object = {}): Promise<ExpenseRecord> => createExpense(services, companyId, changes);

interface Shown {
  body: Record<string, unknown>;
  headers: Record<string, string>;
}
const get = async (id: number): Promise<Shown> => caller.get(`/api/expenses/${id}`).expect(200);
const occurrencesOf = async (seriesId: number): Promise<number[]> => {
  const rows = await services.sql.rows<{ id: number }>('SELECT id FROM expenses WHERE seriesId = ? ORDER BY id', [
    seriesId,
  ]);
  return rows.map(({ id }) => id);
};

test('a monthly series from January 31, run by three scans at the same time as of the March after next, has its 14 dates once each', async () => {
  const series = await create({ expenseDate: '2027-01-31', recurring: 'monthly' });
  const runs = [1, 2, 3].map(() => runAllSchedules(services, { asOf: '2028-03-31' }));
  const told = (await Promise.all(runs)).flatMap(({ created }) => created.map(({ date }) => date)).sort();
  const dates = [
    '2027-02-28',
    '2027-03-31',
    '2027-04-30',
    '2027-05-31',
    '2027-06-30',
    '2027-07-31',
    '2027-08-31',
    '2027-09-30',
    '2027-10-31',
    '2027-11-30',
    '2027-12-31',
    '2028-01-31',
    '2028-02-29',
    '2028-03-31',
  ];
  expect(await datesOf(services, series.id)).toEqual(dates);
  expect(told).toEqual(dates);
});

test('an occurrence is a copy with the day as its date, pending, not recurring, without a receipt', async () => {
  const category = await createCategory(services, companyId, 'Rent');
  const copied = { categoryId: category.id, vendorId: 77, vendor: 'Ωmega', description: 'a\nb 🧾', amount: 1234.56 };
  const series = await create({
    ...copied,
    currency: 'EUR',
    expenseDate: '2027-01-31',
    recurring: 'monthly',
    status: 'approved',
    receiptUrl: 'https://files.example/1',
  });
  clock.set('2027-02-28T05:00:00.123Z');
  const { created } = await runAllSchedules(services);
  expect(created).toEqual([{ kind: 'expense', companyId, seriesId: series.id, date: '2027-02-28' }]);
  const [id = 0] = await occurrencesOf(series.id);
  expect(id).not.toBe(series.id);
  expect((await get(id)).body).toEqual({
    ...copied,
    id,
    companyId,
    currency: 'EUR',
    expenseDate: '2027-02-28',
    receiptUrl: null,
    status: 'pending',
    recurring: 'none',
    nextDueDate: null,
    createdAt: '2027-02-28T05:00:00.123Z',
    updatedAt: '2027-02-28T05:00:00.123Z',
    softDelete: false,
    category: { id: category.id, name: 'Rent' },
  });
});

test('a roll is an event of each occurrence that names series and date, and the lists count it', async () => {
  const series = await create({ expenseDate: '2027-01-31', recurring: 'daily', nextDueDate: '2027-01-31' });
  await create({ status: 'approved' });
  await runAllSchedules(services, { asOf: '2027-02-02' });
  const ids = await occurrencesOf(series.id);
  const events = await services.sql.rows<{ type: string; actor: string; subjectId: number; data: string }>(
    "SELECT type, actor, subjectId, data FROM events WHERE companyId = ? AND actor LIKE 'schedule:%' ORDER BY subjectId",
    [companyId],
  );
  const dates = ['2027-01-31', '2027-02-01', '2027-02-02'];
  expect(events.map((event) => ({ ...event, data: JSON.parse(event.data) as object }))).toEqual(
    dates.map((occurrenceDate, n) => ({
      type: 'expense.created',
      actor: 'schedule:expenses',
      subjectId: ids[n],
      data: {
        ...{ vendor: series.vendor, status: 'pending', amount: series.amount, currency: 'IDR' },
        ...{ seriesId: series.id, occurrenceDate },
      },
    })),
  );
  for (const [status, total] of Object.entries({ all: 5, pending: 4, approved: 1 })) {
    expect((await caller.get('/api/expenses').query({ status })).body).toMatchObject({ total });
  }
  expect(await wrongCounts(services, companyId)).toEqual([]);
});

test('a series keeps everything but its next date and its version', async () => {
  const { id } = await create({ recurring: 'weekly', nextDueDate: '2027-02-03', status: 'rejected', receiptUrl: '' });
  const before = await get(id);
  clock.set('2027-02-03T05:00:00Z');
  await runAllSchedules(services);
  const after = await get(id);
  const updatedAt = '2027-02-03T05:00:00.000Z';
  expect(after.body).toEqual({ ...before.body, nextDueDate: '2027-02-10', updatedAt });
  expect(after.headers['etag']).not.toBe(before.headers['etag']);
  await caller
    .put(`/api/expenses/${id}`)
    .set('If-Match', before.headers['etag'] ?? '')
    .send({})
    .expect(412);
});

test('a series that was changed later than the clock says › grows its version all the same', async () => {
  const { id } = await create({ recurring: 'daily', nextDueDate: '2027-01-31' });
  await services.sql.run("UPDATE expenses SET updatedAt = '2031-01-01 00:00:00.999' WHERE id = ?", [id]);
  await runAllSchedules(services);
  expect((await get(id)).body).toMatchObject({ nextDueDate: '2027-02-01', updatedAt: '2031-01-01T00:00:01.000Z' });
});

test.each([
  ['daily', '2028-02-28', '2028-03-01', ['2028-02-28', '2028-02-29', '2028-03-01'], '2028-03-02'],
  ['weekly', '2027-12-25', '2028-01-08', ['2027-12-25', '2028-01-01', '2028-01-08'], '2028-01-15'],
  ['monthly', '2027-12-30', '2028-03-31', ['2027-12-30', '2028-01-30', '2028-02-29', '2028-03-30'], '2028-04-30'],
  ['yearly', '2028-02-29', '2032-03-01', ['2028', '2029', '2030', '2031', '2032'], '2033-02-28'],
] as const)('%s from %s as of %s › has the dates of the calendar', async (recurring, first, asOf, dates, next) => {
  const { id } = await create({ expenseDate: first, nextDueDate: first, recurring });
  await runAllSchedules(services, { asOf });
  const whole = (date: string): string =>
    date.length > 4 ? date : `${date}-02-${date === '2028' || date === '2032' ? '29' : '28'}`;
  expect(await datesOf(services, id)).toEqual(dates.map(whole));
  expect((await get(id)).body).toMatchObject({ nextDueDate: next });
});

test('the last date of the calendar is made, and the series ends there', async () => {
  const { id } = await create({ recurring: 'daily', nextDueDate: '9999-12-31' });
  await services.sql.run("UPDATE expenses SET recurringSince = '9999-12-01' WHERE id = ?", [id]);
  expect((await runAllSchedules(services, { asOf: '9999-12-31' })).failed).toEqual([]);
  await runAllSchedules(services, { asOf: '9999-12-31' });
  expect(await datesOf(services, id)).toEqual(['9999-12-31']);
  expect(await seriesOf(services, id)).toMatchObject({ nextDueDate: null, dueAt: null });
  expect((await caller.get(`/api/expenses/${id}/occurrences`).expect(200)).body).toMatchObject({ upcoming: [] });
});

test('an occurrence can be changed and deleted like any expense, and the series does not mind', async () => {
  const { id } = await create({ recurring: 'daily', nextDueDate: '2027-01-31' });
  await runAllSchedules(services, { asOf: '2027-02-01' });
  const [first = 0, second = 0] = await occurrencesOf(id);
  await caller.put(`/api/expenses/${first}`).send({ status: 'approved', expenseDate: '2027-01-05' }).expect(200);
  await caller.delete(`/api/expenses/${second}`).expect(200);
  await runAllSchedules(services, { asOf: '2027-02-02' });
  expect(await occurrencesOf(id)).toHaveLength(3);
  expect(await wrongCounts(services, companyId)).toEqual([]);
  const { token } = await createKey(services, companyId, { scopes: ['read'] });
  await api.as(token).get(`/api/expenses/${first}/occurrences`).expect(200);
});
