import type { Sql } from '../../../../shared/engine/db/sql';
import { getInvoice, invoiceList } from '../../../../shared/invoices/record';
import { hashToken } from '../../../../shared/apiKeys/token';
import { ApiKeys } from '../../../../api/apiKeys/ApiKeys';
import type { Services } from '../../../../shared/services';
import { findDueSeries, type DueSeries } from '../../../../shared/recurrence/dueSeries';
import { listOccurrences } from '../../../../shared/recurrence/listOccurrences';
import { previewOverdue } from '../../../../shared/invoices/overdueCalendar';
import { planBatch } from '../../../../shared/recurrence/planBatch';
import { recurringExpenses } from '../../../../shared/expenses/recurringExpenses';
import { recurringInvoices } from '../../../../shared/invoices/recurringInvoices';
import { createClient, createCompany, createExpense, createInvoice } from '../../../support/factories';
import { openTestServices } from '../../../support/installation';
import { plansOf as plansUnder, type Step } from '../../../support/plans';

let services: Services;
let companyId: number;
let clientId: number;
let invoiceId: number;

/** Enough invoices of one company that scanning or sorting them all would be the wrong plan. */
const COUNT = 4_000;

beforeAll(async () => {
  services = await openTestServices();
  ({ companyId } = await createCompany(services));
  clientId = (await createClient(services, companyId)).id;
  invoiceId = (await createInvoice(services, companyId, { clientId })).id;
  const columns = `companyId, clientId, status, dueDate, subtotal, tax, taxRate, total, notes, currency, recurring, softDelete`;
  for (let made = 1; made < COUNT; made *= 2) {
    await services.sql.run(
      `INSERT INTO invoices (${columns}, invoiceNumber, issueDate, createdAt, updatedAt)
        SELECT ${columns}, CONCAT('N', id, '-', ?), DATE_ADD(issueDate, INTERVAL id MOD 300 DAY),
          DATE_ADD(createdAt, INTERVAL id SECOND), updatedAt FROM invoices`,
      [made],
    );
  }
  await services.sql.run(
    `INSERT INTO invoice_items (companyId, invoiceId, position, description, quantity, unitPrice, amount, createdAt, updatedAt)
      SELECT companyId, id, 0, 'x', 1, subtotal, subtotal, createdAt, updatedAt FROM invoices WHERE id <> ?`,
    [invoiceId],
  );
  await services.sql.rows('ANALYZE TABLE invoices, invoice_items, clients, record_counts');
});

const plansOf = (use: (sql: Sql) => Promise<unknown>): Promise<Step[][]> => plansUnder(services.sql, use);

/** The page of ids itself (`<derived2>`) is a scan and a sort of the page. */
function expectIndexed(steps: Step[], atMost: number): void {
  for (const { table, type, rows, key, Extra } of steps) {
    if (table.startsWith('<')) continue;
    expect([table, type, key]).not.toEqual([table, 'ALL', key]);
    expect([table, Number(rows) <= atMost]).toEqual([table, true]);
    expect([table, Extra ?? '']).toEqual([table, expect.not.stringMatching(/Using filesort|Using temporary/)]);
  }
}

const request = { page: 1, limit: 10, sortBy: 'createdAt', sortOrder: 'desc', status: 'all' } as const;

describe('the plans of the hot reads', () => {
  test('one invoice › is found by the primary keys', async () => {
    const [steps = []] = await plansOf((sql) => getInvoice(sql, companyId, invoiceId));
    expect(steps.map(({ key }) => key)).toEqual(['PRIMARY', 'PRIMARY', 'PRIMARY']);
    expectIndexed(steps, 1);
  });

  test.each([
    ['the default list', {}, 'invoices_by_created'],
    ['the list of a status', { status: 'draft' }, 'invoices_by_status'],
    ['the list by due date', { sortBy: 'dueDate', sortOrder: 'asc' }, 'invoices_by_due_date'],
    ['the list by issue date', { sortBy: 'issueDate' }, 'invoices_by_issue_date'],
  ] as const)('%s › walks its index in order, without a sort of the company', async (_, changes, index) => {
    const [steps = []] = await plansOf((sql) => invoiceList.read(sql, companyId, { ...request, ...changes }));
    const inner = steps.filter(({ table, key }) => table === 'i' && key !== 'PRIMARY');
    expect(inner.map(({ key }) => key)).toEqual([index]);
    expect(inner[0]?.Extra ?? '').not.toMatch(/filesort|temporary/);
    for (const { table, type } of steps) if (!table.startsWith('<')) expect([table, type]).not.toEqual([table, 'ALL']);
  });

  test('the total of a usual list › reads the kept counts, not the invoices', async () => {
    for (const status of ['all', 'draft']) {
      const [steps = [], ...others] = await plansOf((sql) => invoiceList.read(sql, companyId, { ...request, status }));
      const total = steps.filter(({ table }) => table === 'record_counts');
      expect(total.map(({ key }) => key)).toEqual(['PRIMARY']);
      expect(others).toEqual([]);
    }
  });

  test('an API key › is found by its hash', async () => {
    const [steps = []] = await plansOf((sql) => new ApiKeys({ ...services, sql }).find('inv_x', { thrifty: false }));
    // A hash that no row has is known from the index alone: there is no table left to read.
    expect(steps).toHaveLength(1);
    expect(steps[0]?.type ?? null).not.toBe('ALL');
    expect(hashToken('inv_x')).toHaveLength(64);
  });
});

describe.each([recurringExpenses, recurringInvoices])('the plans of the schedules of $table', (kind) => {
  const { table } = kind;
  const now = new Date('2026-03-01T00:00:00Z');
  let due: DueSeries;

  /** Series by the thousands, of which three are due, and as many occurrences of the first. */
  beforeAll(async () => {
    const series = { recurring: 'daily', nextDueDate: '2027-01-01' } as const;
    const { id } =
      table === 'expenses'
        ? await createExpense(services, companyId, series)
        : await createInvoice(services, companyId, { clientId, ...series });
    const own =
      table === 'expenses'
        ? 'categoryId, vendor, description, amount, currency, expenseDate, status'
        : 'clientId, status, issueDate, dueDate, subtotal, tax, taxRate, total, notes, currency';
    const columns = `companyId, ${own}, recurring, nextDueDate, anchorDate, recurringSince, dueAt, createdAt, updatedAt`;
    const rows = 'WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 500) SELECT';
    for (const copied of [false, true]) {
      const [names, values] = copied
        ? [', seriesId, occurrenceDate', `, ${id}, '2000-01-01' + INTERVAL i DAY`]
        : ['', ''];
      const dueAt = copied ? 'NULL' : 'dueAt + INTERVAL i DAY';
      const selected = columns.replace('dueAt,', `${dueAt},`);
      await services.sql.run(
        `INSERT INTO ${table} (${columns}${names}) ${rows} ${selected}${values} FROM ${table}, n WHERE id = ${id}`,
      );
    }
    await services.sql.run(
      `UPDATE ${table} SET nextDueDate = ?, dueAt = ? WHERE companyId = ? AND seriesId IS NULL AND dueAt IS NOT NULL
      ORDER BY id LIMIT 3`,
      ['2026-02-01', '2026-02-01', companyId],
    );
    await services.sql.rows(`ANALYZE TABLE ${table}`);
    const request = { companyId, asOf: null, now, which: { only: id }, limit: 1 };
    const [found] = (await findDueSeries(services.sql, kind, request, 'none')).due;
    if (found === undefined) throw new Error('nothing is due');
    due = found;
  });

  test.each([
    ['skip locked', null],
    ['wait', null],
    ['none', null],
    ['skip locked', '2026-03-01'],
  ] as const)(
    'the series that are due (%s, as of %s) › are read off their index in order, and no more',
    async (locking, asOf) => {
      const request = { companyId, asOf, now, which: { except: [] }, limit: 200 };
      const [steps = [], keys = [], companies = []] = await plansOf((sql) =>
        findDueSeries(sql, kind, request, locking),
      );
      expect(steps).toMatchObject([{ table, type: 'range', key: `${table}_due` }]);
      expectIndexed(steps, 3);
      for (const step of [keys, companies]) expect(step.map(({ key }) => key)).toEqual(['PRIMARY']);
    },
  );

  test('which of the planned dates exist › is read off the unique key', async () => {
    const request = { asOf: null, now: new Date('2027-01-05T12:00:00Z'), limit: 3 };
    const [steps = []] = await plansOf((sql) => planBatch({ sql, companyId }, kind, [due], request));
    expect(steps).toMatchObject([{ table, type: 'range', key: `${table}_occurrence` }]);
    expectIndexed(steps, 3);
  });

  test('a page of a series’ occurrences, and their number › are read off the unique key, in order', async () => {
    const page = { page: 1, limit: 10, sortBy: 'date', next: 12, includeDeleted: false } as const;
    for (const sortOrder of ['asc', 'desc'] as const) {
      const plans = await plansOf((sql) => listOccurrences(sql, companyId, kind, due.id, { ...page, sortOrder }));
      const keys = plans.map((steps) => steps.map(({ key }) => key));
      expect(keys).toEqual([['PRIMARY'], ...Array(3).fill([`${table}_occurrence`])]);
      for (const steps of plans) expectIndexed(steps, 500);
    }
  });
});

describe('the plans of the look for overdue invoices', () => {
  test('companies whose day has ended, and their invoices › are found by their indexes', async () => {
    const columns =
      'name, email, address, taxId, phone, currency, locale, timezone, invoiceNumberFormat, createdAt, updatedAt';
    await services.sql.run(
      `INSERT INTO companies (${columns}, overdueCheckAt)
        WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 900)
        SELECT ${columns}, '2100-01-01' FROM companies, n WHERE id = ?`,
      [companyId],
    );
    await services.sql.rows('ANALYZE TABLE companies');
    const observer = { created: () => undefined, overdue: () => undefined, failed: () => undefined };
    const scan = { asOf: null, wait: false, observer };
    const [companies = [], company = [], invoices = []] = await plansOf((sql) =>
      previewOverdue({ ...scan, services: { ...services, sql } }),
    );
    expect(companies).toMatchObject([{ key: 'companies_overdue_check' }]);
    expect(company).toMatchObject([{ key: 'PRIMARY' }]);
    expect(invoices).toMatchObject([{ key: 'invoices_overdue', type: 'range' }]);
  });
});
