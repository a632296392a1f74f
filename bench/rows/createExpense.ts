import { sampleExpense } from '../installation/samples';
import { apiLoad, bareLoad, json } from './apiLoad';
import type { Row } from './Row';

export const createExpense: Row = {
  name: 'expense-create',
  what: 'POST /api/expenses',
  limit: { what: 'bare Koa + mysql2 transaction, the same inserts', atLeast: 0.5 },
  async prepare(bench) {
    const { databaseUrl, seeded, startServer } = bench.installation;
    const { categoryIds, otherCategoryId } = seeded.expenses;
    const bare = await startServer('dist/bench/limits/createExpense.js', {
      DATABASE_URL: databaseUrl,
      COMPANY_ID: String(seeded.other.companyId),
      CATEGORY_ID: String(otherCategoryId),
    });
    const bodies = categoryIds.map((categoryId, index) => {
      const { vendor, description, amount, expenseDate } = sampleExpense(index);
      return JSON.stringify({ categoryId, vendor, description, amount: Number(amount), expenseDate });
    });
    const requests = { method: 'POST', paths: ['/api/expenses'], bodies, expected: json(201) } as const;
    return { project: apiLoad(bench, requests), limit: bareLoad(bench, bare.url, requests) };
  },
};
