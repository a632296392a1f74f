import type { InvoicingClient } from '../../../clients/typescript/src';
import { createClient, createCompany, createExpense, createInvoice, createKey } from '../../support/factories';
import { eventually } from '../../support/eventually';
import { type Caller, startApi, type TestApi } from '../../support/server';
import { runSandbox } from '../../../shared/schedules';
import { datesOf, hold, multiplySeries, SetClock, wrongCounts } from '../../support/schedules';

const clock = new SetClock('2027-01-10T05:00:00Z');
let api: TestApi;
let companyId: number;
let clientId: number;
let caller: Caller;
let client: InvoicingClient;

beforeAll(async () => {
  api = await startApi({ clock });
});
beforeEach(async () => {
  clock.set('2027-01-10T05:00:00Z');
  const company = await createCompany(api.services, { isSandbox: true, reminderDays: [-3, 0, 7] });
  companyId = company.companyId;
  caller = api.as(company.token);
  client = api.client(company.token);
  clientId = (await createClient(api.services, companyId)).id;
});

const run = (asOf: string) => caller.post('/api/schedules/run').send({ asOf });
const ran = (asOf: string) => client.runSchedules({ body: { asOf } });
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

  test('at the same time as one of another process › both do each day once', async () => {
    const { id } = await createExpense(api.services, companyId, { expenseDate: '2027-01-10', recurring: 'daily' });
    const first = runSandbox(api.services, { companyId, requestId: null }, '2027-01-15', () => Promise.resolve(true));
    await Promise.all([first, ran('2027-01-20')]);
    expect(await datesOf(api.services, id)).toEqual(Array.from({ length: 10 }, (_, day) => `2027-01-${day + 11}`));
    await run('2027-01-15').expect(409);
  });

  test('lets requests that wait for the same slot come in between', async () => {
    const narrow = await startApi({ clock, env: { MAX_REQUESTS_PER_COMPANY: '1' } });
    const { token, companyId: id } = await createCompany(narrow.services, { isSandbox: true });
    await createExpense(narrow.services, id, { expenseDate: '2027-01-10', recurring: 'daily' });
    let isRunning = true;
    const running = narrow
      .as(token)
      .post('/api/schedules/run')
      .send({ asOf: '2027-12-31' })
      .then(() => (isRunning = false));
    const made = 'SELECT id FROM expenses WHERE companyId = ? AND seriesId IS NOT NULL LIMIT 1';
    await eventually(async () => (await narrow.services.sql.rows(made, [id])).length > 0);
    await narrow.as(token).get('/api/expenses').expect(200);
    expect(isRunning).toBe(true);
    await running;
  });

  test('at the same time as another › is 429 and retryable; in another company it is not', async () => {
    // In a process where no other company was active: else the second one waits for its turn.
    const alone = await startApi({ clock });
    const { services } = alone;
    const [one, other] = [
      await createCompany(services, { isSandbox: true }),
      await createCompany(services, { isSandbox: true }),
    ];
    const runOf = ({ token }: { token: string }) =>
      alone.as(token).post('/api/schedules/run').send({ asOf: '2027-01-20' });
    const { id } = await createExpense(services, one.companyId, { expenseDate: '2027-01-10', recurring: 'daily' });
    const { letGo } = await hold(services, (sql) =>
      sql.rows('SELECT id FROM expenses WHERE companyId = ? AND id = ? FOR UPDATE', [one.companyId, id]),
    );
    const first = runOf(one).then((response) => response);
    const waiting = `SELECT id FROM information_schema.processlist
      WHERE db = DATABASE() AND id <> CONNECTION_ID() AND info LIKE '%FROM expenses%FOR UPDATE%'`;
    await eventually(async () => (await services.sql.rows(waiting)).length > 0);
    const { body, headers } = await runOf(one).expect(429);
    expect([body, headers]).toMatchObject([{ code: 'run_in_progress' }, { 'retry-after': '5' }]);
    await runOf(other).expect(200);
    await letGo();
    expect((await first).body).toMatchObject({ expenses: { created: 10 } });
    await runOf(one).expect(200);
  });

  test('of a day with more than a call does › stops within the day, and the next call goes on with it', async () => {
    const { id } = await createExpense(api.services, companyId, { expenseDate: '2027-01-10', recurring: 'daily' });
    const series = 11_000;
    await multiplySeries(api.services, id, series);
    const first = await ran('2027-01-11');
    expect(first.asOf).toBe('2027-01-10');
    expect(first.expenses.created).toBeGreaterThanOrEqual(10_000);
    expect(first.expenses.created).toBeLessThan(series);
    expect(await ran('2027-01-11')).toMatchObject({
      asOf: '2027-01-11',
      expenses: { created: series - first.expenses.created },
    });
  });

  test('whose e-mails have reached the recipients of 24 hours › stops, and is 429 until then', async () => {
    const limited = await startApi({ clock, env: { EMAIL_RECIPIENTS_PER_DAY: '40' } });
    const { token, companyId: id } = await createCompany(limited.services, { isSandbox: true, reminderDays: [1] });
    const as = limited.as(token);
    const { id: client } = await createClient(limited.services, id);
    const dates = { clientId: client, issueDate: '2027-01-10', dueDate: '2027-01-10' };
    const series = await createInvoice(limited.services, id, { ...dates, recurring: 'daily' });
    await as.put(`/api/invoices/${series.id}/recurrence`).send({ autoSend: true }).expect(200);
    for (let sent = 0; sent < 10; sent++) await createInvoice(limited.services, id, { ...dates, status: 'sent' });
    const runTo = (asOf: string) => as.post('/api/schedules/run').send({ asOf });
    await as.post(`/api/invoices/${series.id}/send-email`).set('Prefer', 'respond-async').expect(202);
    expect((await runTo('2027-01-20').expect(200)).body).toMatchObject({ asOf: '2027-01-20' });
    expect((await runTo('2027-12-31').expect(200)).body).toMatchObject({ asOf: '2027-02-08' });
    const [emails] = await limited.services.sql.rows('SELECT COUNT(*) AS count FROM emails WHERE companyId = ?', [id]);
    expect(emails).toEqual({ count: 40 });
    expect((await runTo('2027-12-31').expect(429)).body).toMatchObject({ code: 'rate_limited' });
    await as.post(`/api/invoices/${series.id}/send-email`).set('Prefer', 'respond-async').expect(429);
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
