import type { Services } from '../../../../shared/services';
import type { Sql } from '../../../../shared/engine/db/sql';
import { expenseKind, expenseList } from '../../../../shared/expenses/record';
import type { ListQuery } from '../../../../shared/engine/records/list';
import { readRecord } from '../../../../shared/engine/records';
import { createCategory, createCompany, createExpense } from '../../../support/factories';
import { openTestServices } from '../../../support/installation';
import { plansOf as plansUnder, type Step } from '../../../support/plans';

let services: Services;
let companyId: number;
let categoryId: number;
let expenseId: number;

/** Enough expenses that scanning or sorting them all would be the wrong plan; half of them another company's. */
const COUNT = 8_000;

beforeAll(async () => {
  services = await openTestServices();
  const companies = [await createCompany(services), await createCompany(services)];
  for (const company of companies) {
    ({ companyId } = company);
    const categories = [];
    for (let n = 0; n < 10; n++) categories.push((await createCategory(services, companyId)).id);
    for (categoryId of categories) expenseId = (await createExpense(services, companyId, { categoryId })).id;
  }
  const columns = 'companyId, categoryId, vendor, description, amount, currency, recurring, softDelete, updatedAt';
  for (let made = 20; made < COUNT; made *= 2) {
    await services.sql.run(
      `INSERT INTO expenses (${columns}, vendorId, status, expenseDate, createdAt)
        SELECT ${columns}, id MOD 50 + 1, ELT(id MOD 3 + 1, 'pending', 'approved', 'rejected'),
          DATE_ADD(expenseDate, INTERVAL id MOD 300 DAY), DATE_ADD(createdAt, INTERVAL id SECOND) FROM expenses`,
    );
  }
  await services.sql.rows('ANALYZE TABLE expenses, categories, record_counts');
});

const plansOf = (use: (sql: Sql) => Promise<unknown>): Promise<Step[][]> => plansUnder(services.sql, use);

const request = { page: 1, limit: 10, sortBy: 'expenseDate', sortOrder: 'desc', status: 'all' } as const;
const plansOfList = (changes: Partial<ListQuery>): Promise<Step[][]> =>
  plansOf((sql) => expenseList.read(sql, companyId, { ...request, ...changes }));

/** Of the page's ids and of the count; the page's few rows are read by the primary key. */
const walked = (steps: Step[]): Step[] => steps.filter(({ table, key }) => table === 'e' && key !== 'PRIMARY');

describe('the plans of the reads of expenses', () => {
  test('one expense › is found by the primary keys', async () => {
    const [steps = []] = await plansOf((sql) => readRecord(sql, companyId, expenseKind, expenseId));
    expect(steps.map(({ key, type }) => [key, type])).toEqual([
      ['PRIMARY', 'const'],
      ['PRIMARY', 'const'],
    ]);
  });

  test.each([
    ['the default list', {}, 'expenses_by_date'],
    ['the oldest first', { sortOrder: 'asc' }, 'expenses_by_date'],
    ['the list of a status', { status: 'pending' }, 'expenses_by_status'],
  ] as const)(
    '%s › walks its index in order, and its total is a kept count, in one statement',
    async (_, changes, index) => {
      const [steps = [], ...others] = await plansOfList(changes);
      expect(others).toEqual([]);
      expect(walked(steps).map(({ key }) => key)).toEqual([index]);
      expect(walked(steps)[0]?.Extra ?? '').not.toMatch(/filesort|temporary/);
      expect(steps.filter(({ table }) => table === 'record_counts').map(({ key }) => key)).toEqual(['PRIMARY']);
      for (const { table, type } of steps)
        if (!table.startsWith('<')) expect([table, type]).not.toEqual([table, 'ALL']);
    },
  );

  test.each([
    ['days', () => ({ startDate: '2026-03-01', endDate: '2026-03-31' }), 'expenses_by_date'],
    ['a first day', () => ({ startDate: '2026-10-01' }), 'expenses_by_date'],
    ['a category', () => ({ category: categoryId }), 'expenses_by_category'],
    [
      'a category and days',
      () => ({ category: categoryId, startDate: '2026-03-01', endDate: '2026-04-30' }),
      'expenses_by_category',
    ],
    [
      'a status and days',
      () => ({ status: 'pending', startDate: '2026-03-01', endDate: '2026-03-31' }),
      'expenses_by_status',
    ],
    ['a vendor', () => ({ vendorId: 7 }), 'expenses_by_vendor'],
  ] as const)('%s › narrow the page and its count on the index alone, in order', async (_, changes, index) => {
    const [steps = []] = await plansOfList(changes());
    expect(walked(steps).map(({ key }) => key)).toEqual([index, index]);
    for (const { Extra } of walked(steps)) {
      expect(Extra ?? '').toMatch(/Using index/);
      expect(Extra ?? '').not.toMatch(/filesort|temporary/);
    }
  });

  test.each([
    ['a search', { search: 'sari' }],
    ['a currency', { currency: 'IDR' }],
    ['another order', { sortBy: 'amount' }],
    ['the deleted ones too', { includeDeleted: true }],
    ['a search in a category', { search: 'sari', categoryId: 1 }],
  ] as const)('%s › reads the company’s rows and no other’s', async (_, changes) => {
    const [steps = []] = await plansOfList(changes);
    for (const { table, type, key } of steps) {
      if (!table.startsWith('<'))
        expect([table, type, key]).not.toEqual([table, expect.stringMatching(/^(ALL|index)$/), key]);
    }
  });
});
