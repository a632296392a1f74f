import { insertRows, toSqlTime } from '../../../shared/engine/db';
import {
  createCategory,
  createClient,
  createCompany,
  createExpense,
  createInvoice,
  createKey,
} from '../../support/factories';
import { nothingIsDue, runAllSchedules, SetClock } from '../../support/schedules';
import { startApi, type Caller, type TestApi } from '../../support/server';

const clock = new SetClock('2026-03-15T05:00:00Z');
let api: TestApi;
let caller: Caller;
let companyId: number;
let clientId: number;

beforeAll(async () => {
  api = await startApi({ clock });
});
beforeEach(async () => {
  clock.set('2026-03-15T05:00:00Z');
  await useCompany({});
});

async function useCompany(input: { timezone?: string }): Promise<void> {
  const { services } = api;
  await nothingIsDue(services);
  const company = await createCompany(services, { name: 'Acme', currency: 'IDR', ...input });
  ({ companyId } = company);
  caller = api.as(company.token);
  clientId = (await createClient(services, companyId, { name: 'Lagoon' })).id;
}

interface ReportJson {
  data: Record<string, unknown>[];
  months?: Record<string, unknown>[];
}
const get = async (path: string): Promise<ReportJson> =>
  (await caller.get(`/api/reports/${path}`).expect(200)).body as ReportJson;
const rowsOf = async (path: string): Promise<Record<string, unknown>[]> => (await get(path)).data;

/** A sent invoice of one item, with its total. */
async function invoice(unitPrice: string, changes: Parameters<typeof createInvoice>[2] = {}): Promise<number> {
  const items = [{ description: 'Work', quantity: 1, unitPrice }];
  const days = { issueDate: '2026-01-15', dueDate: '2026-02-14' };
  const { id } = await createInvoice(api.services, companyId, {
    ...{ clientId, taxRate: 0, status: 'sent', items, ...days },
    ...changes,
  });
  return id;
}
const pay = (id: number, body: object) => caller.post(`/api/invoices/${id}/payments`).send(body).expect(201);

/** A credit note as a row. */
async function credit(invoiceId: number, issueDate: string, subtotal: string, tax = '0.00'): Promise<void> {
  const total = (Number(subtotal) + Number(tax)).toFixed(2);
  await api.services.sql.run('UPDATE invoices SET credited = credited + ? WHERE companyId = ? AND id = ?', [
    ...[total, companyId, invoiceId],
  ]);
  await insertRows(api.services.sql, 'credit_notes', [
    {
      ...{
        companyId,
        invoiceId,
        issueDate,
        subtotal,
        tax,
        total,
        creditNoteNumber: `CN-${invoiceId}-${issueDate}-${total}`,
        currency: 'IDR',
        reason: 'test',
        notes: '',
      },
      createdAt: toSqlTime(clock.now()),
    },
  ]);
}

const all = ['receivables', 'revenue', 'tax', 'expenses', 'upcoming'];

test.each(all)('%s › of a company without records › has no rows', async (name) => {
  expect(await get(name)).toEqual({ data: [], ...(name === 'upcoming' && { months: [] }) });
});

test.each(all)('%s › shows nothing of another company', async (name) => {
  await invoice('100', { recurring: 'monthly' });
  await createExpense(api.services, companyId, { recurring: 'monthly', expenseDate: '2026-03-01' });
  expect(await rowsOf(name)).not.toEqual([]);
  const { token } = await createCompany(api.services);
  expect((await api.as(token).get(`/api/reports/${name}`).expect(200)).body).toMatchObject({ data: [] });
});

test.each(all)('%s › needs the scope read, and refuses what it does not know', async (name) => {
  const { token } = await createKey(api.services, companyId, { scopes: ['read'] });
  await api.as(token).get(`/api/reports/${name}`).expect(200);
  await api.as().get(`/api/reports/${name}`).expect(401);
  const query = name === 'receivables' ? 'asOf=2026-02-30' : 'from=2026-02-30';
  expect((await caller.get(`/api/reports/${name}?${query}`).expect(400)).body).toMatchObject({
    code: 'validation_failed',
  });
});

describe('GET /api/reports/receivables', () => {
  const receivables = (query = ''): Promise<Record<string, unknown>[]> => rowsOf(`receivables${query}`);
  const none = { current: '0.00', '1-30': '0.00', '31-60': '0.00', '61-90': '0.00', over90: '0.00' };

  test('by how long it is overdue, each currency apart', async () => {
    const dueDates = [
      '2026-03-15',
      '2026-03-14',
      '2026-02-13',
      '2026-02-12',
      '2026-01-14',
      '2026-01-13',
      '2025-12-15',
      '2025-12-14',
    ];
    for (const [n, dueDate] of dueDates.entries()) {
      await invoice(String(2 ** n), { issueDate: '2025-12-01', dueDate });
    }
    await invoice('5', { currency: 'USD', issueDate: '2026-03-01', dueDate: '2026-03-31' });
    expect(await receivables()).toEqual([
      {
        ...{ currency: 'IDR', current: '1.00', '1-30': '6.00', '31-60': '24.00', '61-90': '96.00', over90: '128.00' },
        ...{ total: '255.00', count: 8 },
      },
      { currency: 'USD', ...none, current: '5.00', total: '5.00', count: 1 },
    ]);
  });

  test('of each client, in the order of their names', async () => {
    const other = await createClient(api.services, companyId, { name: 'Awan' });
    await invoice('10');
    await invoice('20', { clientId: other.id });
    await invoice('30');
    expect(await receivables('?groupBy=client')).toEqual([
      { currency: 'IDR', clientId: other.id, client: 'Awan', ...none, '1-30': '20.00', total: '20.00', count: 1 },
      { currency: 'IDR', clientId, client: 'Lagoon', ...none, '1-30': '40.00', total: '40.00', count: 2 },
    ]);
  });

  test('a past day › stays the same when invoices are paid, credited, cancelled and deleted afterwards', async () => {
    clock.set('2026-02-01T05:00:00Z');
    const invoices = [];
    for (const price of ['100', '200', '400', '800', '1600']) invoices.push(await invoice(price));
    const [paid = 0, credited = 0, cancelled = 0, deleted = 0, declared = 0] = invoices;
    const before = await receivables('?asOf=2026-02-20');
    expect(before).toMatchObject([{ total: '3100.00', count: 5 }]);
    clock.set('2026-03-15T05:00:00Z');
    await pay(paid, { amount: 100 });
    await credit(credited, '2026-03-15', '200.00');
    await caller.put(`/api/invoices/${cancelled}`).send({ status: 'cancelled' }).expect(200);
    await caller.delete(`/api/invoices/${deleted}`).expect(200);
    await caller.put(`/api/invoices/${declared}`).send({ status: 'paid' }).expect(200);
    expect(await receivables('?asOf=2026-02-20')).toEqual(before);
    expect(await receivables()).toEqual([]);
    await caller.put(`/api/invoices/${cancelled}`).send({ notes: 'changed after it was cancelled' }).expect(200);
    expect(await receivables('?asOf=2026-03-14')).toEqual([{ ...before[0], '1-30': '3100.00', current: '0.00' }]);
  });

  test('an invoice that was declared paid, and credited afterwards › was not due in between', async () => {
    clock.set('2026-02-15T05:00:00Z');
    const id = await invoice('100');
    await caller.put(`/api/invoices/${id}`).send({ status: 'paid' }).expect(200);
    clock.set('2026-03-15T05:00:00Z');
    await credit(id, '2026-03-15', '100.00');
    expect(await receivables('?asOf=2026-02-14')).toMatchObject([{ total: '100.00' }]);
    expect(await receivables('?asOf=2026-03-01')).toEqual([]);
  });

  test('a voided payment › counted until it was voided', async () => {
    const id = await invoice('100');
    const { body } = await pay(id, { amount: 60, paidAt: '2026-02-01' });
    await caller.delete(`/api/invoices/${id}/payments/${(body as { id: number }).id}`).expect(200);
    expect(await receivables('?asOf=2026-02-01')).toMatchObject([{ total: '40.00' }]);
    expect(await receivables('?asOf=2026-03-14')).toMatchObject([{ total: '40.00' }]);
    expect(await receivables('?asOf=2026-03-15')).toMatchObject([{ total: '100.00' }]);
  });

  test('more than is due, another currency, a draft › make nothing due, and no less of another invoice', async () => {
    await pay(await invoice('100'), { amount: 150 });
    await pay(await invoice('100'), { amount: 100, currency: 'USD' });
    await invoice('100', { status: 'draft' });
    expect(await receivables()).toMatchObject([{ total: '100.00', count: 1 }]);
  });
});

describe('GET /api/reports/revenue', () => {
  test('issued, credited and paid are each in the month of their own day', async () => {
    const id = await invoice('100', { issueDate: '2026-01-31', dueDate: '2026-02-10', taxRate: 10 });
    await credit(id, '2026-02-01', '20.00');
    await pay(id, { amount: 30, paidAt: '2026-03-01' });
    expect(await rowsOf('revenue')).toEqual([
      { currency: 'IDR', period: '2026-01', issued: '110.00', credited: '0.00', paid: '0.00', count: 1 },
      { currency: 'IDR', period: '2026-02', issued: '0.00', credited: '20.00', paid: '0.00', count: 0 },
      { currency: 'IDR', period: '2026-03', issued: '0.00', credited: '0.00', paid: '30.00', count: 0 },
    ]);
    expect(await rowsOf('revenue?by=quarter')).toMatchObject([{ period: '2026-Q1', issued: '110.00', paid: '30.00' }]);
    expect(await rowsOf('revenue?by=client')).toEqual([
      { currency: 'IDR', clientId, client: 'Lagoon', issued: '110.00', credited: '20.00', paid: '30.00', count: 1 },
    ]);
  });

  test('an invoice that is cancelled counts in nothing; one that credit notes cancelled counts on the days of both', async () => {
    await credit(await invoice('100', { status: 'cancelled' }), '2026-02-01', '40.00');
    await credit(await invoice('70', { status: 'cancelled' }), '2026-02-01', '70.00');
    expect(await rowsOf('revenue')).toMatchObject([
      { period: '2026-01', issued: '70.00', credited: '0.00', count: 1 },
      { period: '2026-02', issued: '0.00', credited: '70.00', count: 0 },
    ]);
  });

  test.each([
    // 23:30 UTC is the next day in Jakarta, and in Kolkata
    ['Asia/Jakarta', '2026-02-10T23:30:00Z', '2026-02-11'],
    ['Asia/Kolkata', '2026-02-10T18:29:59.999Z', '2026-02-10'],
    ['Asia/Kolkata', '2026-02-10T18:30:00Z', '2026-02-11'],
    // New York is five hours behind before its clocks change on 8 March, and four after
    ['America/New_York', '2026-03-08T04:59:59.999Z', '2026-03-07'],
    ['America/New_York', '2026-03-08T05:00:00Z', '2026-03-08'],
    ['America/New_York', '2026-03-09T03:59:59.999Z', '2026-03-08'],
    ['America/New_York', '2026-03-09T04:00:00Z', '2026-03-09'],
  ])('a payment in %s at %s › belongs to %s', async (timezone, paidAt, day) => {
    await useCompany({ timezone });
    await pay(await invoice('100'), { amount: 10, paidAt });
    const rows = await rowsOf('revenue?by=day');
    expect(rows.filter(({ paid }) => paid !== '0.00')).toEqual([expect.objectContaining({ period: day })]);
    expect(await rowsOf(`revenue?by=day&from=${day}&to=${day}`)).toMatchObject([{ period: day, paid: '10.00' }]);
  });
});

test('GET /api/reports/tax › adds up by rate, credit notes negative', async () => {
  const id = await invoice('100', { taxRate: 11 });
  await invoice('50', { taxRate: 11 });
  await invoice('10', { taxRate: 0 });
  await credit(id, '2026-02-01', '30.00', '3.30');
  expect(await rowsOf('tax')).toEqual([
    { currency: 'IDR', taxRate: '0.00', net: '10.00', tax: '0.00', count: 1 },
    { currency: 'IDR', taxRate: '11.00', net: '120.00', tax: '13.20', count: 3 },
  ]);
  expect(await rowsOf('tax?from=2026-02-01')).toEqual([
    { currency: 'IDR', taxRate: '11.00', net: '-30.00', tax: '-3.30', count: 1 },
  ]);
});

test('GET /api/reports/expenses › by category, vendor and month, of every status or one', async () => {
  const { id: categoryId, name: category } = await createCategory(api.services, companyId);
  const expense = (changes: object) => createExpense(api.services, companyId, { categoryId, ...changes });
  await expense({ amount: 1.5 });
  await expense({ amount: 2.5, status: 'approved', vendor: 'warung sari' });
  await expense({ amount: 4, expenseDate: '2026-02-01' });
  expect(await rowsOf('expenses')).toEqual([{ currency: 'IDR', categoryId, category, sum: '8.00', count: 3 }]);
  expect(await rowsOf('expenses?by=vendor')).toEqual([
    { currency: 'IDR', vendor: 'Warung Sari', sum: '5.50', count: 2 },
    { currency: 'IDR', vendor: 'warung sari', sum: '2.50', count: 1 },
  ]);
  expect(await rowsOf('expenses?by=month&status=pending')).toEqual([
    { currency: 'IDR', period: '2026-01', sum: '1.50', count: 1 },
    { currency: 'IDR', period: '2026-02', sum: '4.00', count: 1 },
  ]);
});

describe('GET /api/reports/upcoming', () => {
  test('is what the calendar then creates', async () => {
    const expense = await createExpense(api.services, companyId, { expenseDate: '2026-01-31', recurring: 'monthly' });
    const bill = await invoice('100', { recurring: 'weekly', issueDate: '2026-03-14', dueDate: '2026-03-20' });
    const { data, months } = await get('upcoming?to=2026-04-30');
    expect(data.slice(0, 3)).toEqual([
      { date: '2026-03-21', series: { type: 'invoice', id: bill }, amount: '100.00', currency: 'IDR' },
      { date: '2026-03-28', series: { type: 'invoice', id: bill }, amount: '100.00', currency: 'IDR' },
      { date: '2026-03-31', series: { type: 'expense', id: expense.id }, amount: '42.50', currency: 'IDR' },
    ]);
    expect(months).toEqual([
      { currency: 'IDR', period: '2026-03', type: 'expense', sum: '42.50', count: 1 },
      { currency: 'IDR', period: '2026-03', type: 'invoice', sum: '200.00', count: 2 },
      { currency: 'IDR', period: '2026-04', type: 'expense', sum: '42.50', count: 1 },
      { currency: 'IDR', period: '2026-04', type: 'invoice', sum: '400.00', count: 4 },
    ]);
    const told = await runAllSchedules(api.services, { asOf: '2026-04-30' });
    const created = told.created.map(({ kind, seriesId, date }) => `${date} ${kind} ${seriesId}`).sort();
    const promised = data.map(({ date, series }) => {
      const { type, id } = series as { type: string; id: number };
      return `${String(date)} ${type} ${id}`;
    });
    expect([...promised].sort()).toEqual(created);
    expect(await rowsOf('upcoming?to=2026-04-30')).toEqual([]);
  });

  test('a date that exists already, as after `nextDueDate` was set back › is left out', async () => {
    const { id } = await createExpense(api.services, companyId, { expenseDate: '2026-02-28', recurring: 'weekly' });
    await runAllSchedules(api.services, { asOf: '2026-03-28' });
    await caller.put(`/api/expenses/${id}`).send({ nextDueDate: '2026-03-21' }).expect(200);
    const rows = await rowsOf('upcoming?to=2026-04-05');
    expect(rows.map(({ date }) => date)).toEqual(['2026-04-04']);
  });
});

describe('the bounds', () => {
  const refused = async (path: string): Promise<unknown> => (await caller.get(`/api/reports/${path}`).expect(400)).body;

  test.each(['revenue?', 'revenue?by=day&', 'tax?', 'expenses?', 'upcoming?'])(
    '%s › has at most 366 days',
    async (path) => {
      await get(`${path}from=2027-01-01&to=2028-01-01`);
      expect(await refused(`${path}from=2027-01-01&to=2028-01-02`)).toMatchObject({ code: 'report_too_large' });
      expect(await refused(`${path}from=2027-01-02&to=2027-01-01`)).toMatchObject({ code: 'validation_failed' });
    },
  );

  test('by year › has at most ten years', async () => {
    await get('revenue?by=year&from=2016-02-29&to=2026-02-28');
    expect(await refused('revenue?by=year&from=2016-02-28&to=2026-02-28')).toMatchObject({ code: 'report_too_large' });
  });

  test.each(['1000-01-01', '9999-12-31'])('%s, where the calendar ends › is a day like any other', async (day) => {
    await get(`receivables?asOf=${day}`);
    for (const name of ['revenue', 'tax', 'expenses', 'upcoming']) await get(`${name}?from=${day}&to=${day}`);
    await get(`revenue?by=year&from=${day}&to=${day}`);
  });

  test('a series that began long before the first day › is planned from that day on', async () => {
    await createExpense(api.services, companyId, { recurring: 'daily', expenseDate: '2026-03-14' });
    expect(await rowsOf('upcoming?from=9000-01-01&to=9000-01-03')).toHaveLength(3);
  });

  test('more than 5,000 rows › 400', async () => {
    for (let n = 0; n < 14; n++) {
      await createExpense(api.services, companyId, { recurring: 'daily', expenseDate: '2026-03-14' });
    }
    expect(await rowsOf('upcoming?to=2027-03-06')).toHaveLength(14 * 357);
    expect(await refused('upcoming?to=2027-03-10')).toMatchObject({ code: 'report_too_large' });
  });

  test.each(['receivables?groupBy=client', 'revenue', 'tax', 'expenses?by=vendor', 'upcoming'])(
    '%s › its statements have ten seconds; one that takes longer › 400',
    async (path) => {
      const { sql } = api.services;
      const rows = sql.rows.bind(sql);
      const tables = ['a', 'b', 'c', 'd'].map((name) => `information_schema.collations ${name}`).join(', ');
      // Slow, and with a tenth of the time.
      const reading = jest.spyOn(sql, 'rows').mockImplementation((text, values, meter) => {
        const slow = text
          .replace('max_statement_time=10', 'max_statement_time=1')
          .replace('TIME(10000) */', `TIME(1000) */ (SELECT COUNT(*) FROM ${tables}) AS slow,`);
        return rows(slow, values, meter);
      });
      const body = await refused(path).finally(() => reading.mockRestore());
      expect(body).toMatchObject({ code: 'report_too_slow', detail: expect.stringContaining('10 seconds') as string });
    },
  );

  test('without days › the year up to today in the company’s time zone', async () => {
    await useCompany({ timezone: 'Asia/Jakarta' });
    clock.set('2026-12-31T17:30:00Z');
    await invoice('1', { issueDate: '2026-12-31', dueDate: '2027-01-10' });
    await invoice('2', { issueDate: '2027-01-01', dueDate: '2027-01-10' });
    await invoice('4', { issueDate: '2027-01-02', dueDate: '2027-01-10' });
    expect(await rowsOf('revenue')).toMatchObject([{ period: '2027-01', issued: '2.00' }]);
    expect(await rowsOf('receivables')).toMatchObject([{ current: '3.00' }]);
  });
});

describe('CSV', () => {
  const csv = async (path: string): Promise<string> => {
    const response = await caller.get(`/api/reports/${path}`).set('Accept', 'text/csv').buffer(true).expect(200);
    expect(response.headers['content-type']).toMatch(/^text\/csv/);
    return response.text;
  };

  test('has the columns of the rows that were asked for, and no others', async () => {
    await invoice('100', { taxRate: 11 });
    expect(await csv('receivables')).toBe(
      'currency,current,1-30,31-60,61-90,over90,total,count\r\nIDR,0.00,111.00,0.00,0.00,0.00,111.00,1\r\n',
    );
    expect(await csv('revenue?by=client')).toBe(
      `currency,clientId,client,issued,credited,paid,count\r\nIDR,${clientId},Lagoon,111.00,0.00,0.00,1\r\n`,
    );
    expect(await csv('revenue?columns=period,issued')).toBe('period,issued\r\n2026-01,111.00\r\n');
    expect(await csv('tax')).toBe('currency,taxRate,net,tax,count\r\nIDR,11.00,100.00,11.00,1\r\n');
    expect(await csv('expenses?by=vendor')).toBe('currency,vendor,sum,count\r\n');
  });

  test('of what is upcoming › has the series in two columns, and a name of company, kind and day', async () => {
    const id = await invoice('7', { recurring: 'yearly', issueDate: '2025-04-01', dueDate: '2025-04-10' });
    expect(await csv('upcoming')).toBe(
      `date,series.type,series.id,amount,currency\r\n2026-04-01,invoice,${id},7.00,IDR\r\n`,
    );
    const { headers } = await caller.get('/api/reports/upcoming').set('Accept', 'text/csv').expect(200);
    expect(headers['content-disposition']).toContain('Acme-upcoming-2026-03-15.csv');
  });
});
