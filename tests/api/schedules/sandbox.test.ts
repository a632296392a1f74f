import { createClient, createCompany, createExpense, createInvoice, createKey } from '../../support/factories';
import { type Caller, startApi, type TestApi } from '../../support/server';
import { datesOf, SetClock, wrongCounts } from '../../support/schedules';

const clock = new SetClock('2027-01-10T05:00:00Z');
let api: TestApi;
let companyId: number;
let clientId: number;
let caller: Caller;

beforeAll(async () => {
  api = await startApi({ clock });
});
beforeEach(async () => {
  clock.set('2027-01-10T05:00:00Z');
  const company = await createCompany(api.services, { isSandbox: true, reminderDays: [-3, 0, 7] });
  companyId = company.companyId;
  caller = api.as(company.token);
  clientId = (await createClient(api.services, companyId)).id;
});

interface Report {
  asOf: string;
  expenses: { created: number; series: { seriesId: number; dates: string[] }[] };
  invoices: Report['expenses'];
  overdue: { marked: number; invoices: { invoiceId: number }[] };
  reminders: { requested: number; skipped: number };
  failed: object[];
}

const run = (asOf: string) => caller.post('/api/schedules/run').send({ asOf });
const ran = async (asOf: string): Promise<Report> => (await run(asOf).expect(200)).body as Report;
const nothing = { created: 0, series: [] };

describe('POST /api/schedules/run', () => {
  test('in a company that is no sandbox › is 409, and nothing is done', async () => {
    const real = await createCompany(api.services);
    const series = await createExpense(api.services, real.companyId, { expenseDate: '2027-01-10', recurring: 'daily' });
    const { body } = await api.as(real.token).post('/api/schedules/run').send({ asOf: '2027-02-10' }).expect(409);
    expect(body).toMatchObject({ code: 'not_a_sandbox' });
    expect(await datesOf(api.services, series.id)).toEqual([]);
  });

  test('with a key that may only write › is 403', async () => {
    const { token } = await createKey(api.services, companyId, { scopes: ['write'] });
    await api.as(token).post('/api/schedules/run').send({ asOf: '2027-02-10' }).expect(403);
  });

  test('of months › makes occurrences, marks overdue invoices and requests each reminder, day by day', async () => {
    const dates = { clientId, issueDate: '2027-01-10', dueDate: '2027-01-20' };
    const sent = await createInvoice(api.services, companyId, { ...dates, status: 'sent' });
    const drafts = await createInvoice(api.services, companyId, { ...dates, recurring: 'monthly' });
    const rent = await createExpense(api.services, companyId, { expenseDate: '2027-01-31', recurring: 'monthly' });
    expect(await ran('2027-04-30')).toEqual({
      ...{ asOf: '2027-04-30', dryRun: false, failed: [] },
      expenses: {
        created: 3,
        series: [{ companyId, seriesId: rent.id, dates: ['2027-02-28', '2027-03-31', '2027-04-30'] }],
      },
      invoices: {
        created: 3,
        series: [{ companyId, seriesId: drafts.id, dates: ['2027-02-10', '2027-03-10', '2027-04-10'] }],
      },
      overdue: { marked: 1, invoices: [{ companyId, invoiceId: sent.id }] },
      reminders: {
        ...{ requested: 3, skipped: 0 },
        invoices: Array.from({ length: 3 }, () => ({ companyId, invoiceId: sent.id, skipped: null })),
      },
    });
    expect(await wrongCounts(api.services, companyId)).toEqual([]);
  });

  test('of the same day again › is 200 and does nothing; the next day goes on', async () => {
    await createExpense(api.services, companyId, { expenseDate: '2027-01-10', recurring: 'daily' });
    expect(await ran('2027-01-12')).toMatchObject({ expenses: { created: 2 } });
    await createExpense(api.services, companyId, { expenseDate: '2027-01-11', recurring: 'daily' });
    expect(await ran('2027-01-12')).toMatchObject({
      asOf: '2027-01-12',
      expenses: nothing,
      invoices: nothing,
      failed: [],
    });
    expect(await ran('2027-01-13T00:00:00.000Z')).toMatchObject({ asOf: '2027-01-13', expenses: { created: 3 } });
  });

  test('of an earlier day › is 409, also one before today in a new sandbox', async () => {
    expect((await run('2027-01-08').expect(409)).body).toMatchObject({ code: 'clock_backwards' });
    await ran('2027-01-12');
    expect((await run('2027-01-11').expect(409)).body).toMatchObject({ code: 'clock_backwards' });
    clock.set('2027-03-10T05:00:00Z');
    expect((await run('2027-01-13').expect(409)).body).toMatchObject({ code: 'clock_backwards' });
  });

  test('of a day that is more than 400 days ahead › is 400, and 400 days are not', async () => {
    expect((await run('2028-02-14').expect(400)).body).toMatchObject({ code: 'validation_failed' });
    await ran('2028-02-13');
    await run('2028-02-30').expect(400);
    await caller.post('/api/schedules/run').send({}).expect(400);
  });

  test('under the same Idempotency-Key › responds with the same report', async () => {
    await createExpense(api.services, companyId, { expenseDate: '2027-01-10', recurring: 'daily' });
    const first = await run('2027-01-12').set('Idempotency-Key', 'k').expect(200);
    const again = await run('2027-01-12').set('Idempotency-Key', 'k').expect(200);
    expect(again.text).toBe(first.text);
    expect(again.headers).toMatchObject({ 'idempotent-replayed': 'true' });
  });

  test('at the same time as another › both do each day once', async () => {
    const { id } = await createExpense(api.services, companyId, { expenseDate: '2027-01-10', recurring: 'daily' });
    await Promise.all([ran('2027-01-15'), ran('2027-01-20')]);
    expect(await datesOf(api.services, id)).toEqual(Array.from({ length: 10 }, (_, day) => `2027-01-${day + 11}`));
    await run('2027-01-15').expect(409);
  });

  test('in one company › leaves the others alone', async () => {
    const other = await createCompany(api.services, { isSandbox: true });
    const { id } = await createExpense(api.services, other.companyId, {
      expenseDate: '2027-01-10',
      recurring: 'daily',
    });
    expect(await ran('2027-02-10')).toMatchObject({ expenses: nothing });
    expect(await datesOf(api.services, id)).toEqual([]);
  });
});
