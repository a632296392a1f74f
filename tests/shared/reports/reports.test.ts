import fc from 'fast-check';
import type { Services } from '../../../shared/services';
import { type Report, reports } from '../../../shared/reports';
import { openTestServices } from '../../support/installation';
import { type Books, books, type ExpenseOfBooks, later, write } from './books';
import { clientOf, expensesOf, periodOf, receivablesOf, revenueOf, taxOf } from './oracle';

let services: Services;
beforeAll(async () => {
  services = await openTestServices();
});

const now = new Date('2026-06-01T00:00:00Z');
const breathe = (): Promise<void> => Promise.resolve();

function reading(companyId: number) {
  return async <Query>(report: Report<Query>, query: Query): Promise<object[]> => [
    ...(await report.read({ sql: services.sql, companyId, now, breathe }, query)).data,
  ];
}

/** Rows are compared as a set: their order has a test of its own. */
function expectSame(actual: object[], expected: object[]): void {
  const sorted = (rows: object[]): string[] => rows.map((row) => JSON.stringify(row)).sort();
  expect(sorted(actual)).toEqual(sorted(expected));
}

const compared = (check: (books: Books, days: { from: string; to: string }) => Promise<void>): Promise<void> =>
  fc.assert(
    fc.asyncProperty(books, fc.integer({ min: 0, max: 120 }), fc.integer({ min: 0, max: 60 }), (made, first, days) => {
      const from = later('2025-12-01', first);
      return check(made, { from, to: later(from, days) });
    }),
    { numRuns: 40 },
  );

describe('reports of any books, in three time zones', () => {
  test('receivables › are what a loop over the books finds due', async () => {
    await compared(async (made, { to: asOf }) => {
      const written = await write(services, made);
      const read = reading(written.companyId);
      expectSame(
        await read(reports.Receivables, { asOf }),
        receivablesOf(made, asOf, () => ({})),
      );
      expectSame(
        await read(reports.Receivables, { asOf, groupBy: 'client' }),
        receivablesOf(made, asOf, clientOf(written)),
      );
    });
  });

  test('revenue › is what a loop over the books adds up, by every period and by client', async () => {
    await compared(async (made, days) => {
      const written = await write(services, made);
      const read = reading(written.companyId);
      for (const by of ['day', 'month', 'quarter', 'year'] as const) {
        const expected = revenueOf(made, days, (day) => ({ period: periodOf(by, day) }));
        expectSame(await read(reports.Revenue, { ...days, by }), expected);
      }
      const expected = revenueOf(made, days, (_, client) => clientOf(written)(client));
      expectSame(await read(reports.Revenue, { ...days, by: 'client' }), expected);
    });
  });

  test('tax › is what a loop over the books adds up, credit notes negative', async () => {
    await compared(async (made, days) => {
      const { companyId } = await write(services, made);
      expectSame(await reading(companyId)(reports.Tax, days), taxOf(made, days));
    });
  });

  test('expenses › are what a loop over the books adds up, by every key and status', async () => {
    await compared(async (made, days) => {
      const { companyId, categories } = await write(services, made);
      const keys = {
        category: ({ category: n }: ExpenseOfBooks) => ({
          categoryId: categories[n]?.id,
          category: categories[n]?.name,
        }),
        vendor: ({ vendor }: ExpenseOfBooks) => ({ vendor }),
        month: ({ expenseDate }: ExpenseOfBooks) => ({ period: expenseDate.slice(0, 7) }),
      };
      for (const by of ['category', 'vendor', 'month'] as const) {
        for (const status of ['all', 'approved'] as const) {
          const expected = expensesOf(made, { ...days, status }, keys[by]);
          expectSame(await reading(companyId)(reports.Expenses, { ...days, by, status }), expected);
        }
      }
    });
  });
});
