import { sampleExpense } from '../installation/samples';
import { besideBare, json } from './apiLoad';
import type { Row } from './Row';

export const createExpense: Row = {
  name: 'expense-create',
  what: 'POST /api/expenses',
  limit: { what: 'bare Koa + mysql2 transaction, the same inserts', atLeast: 0.5 },
  prepare(bench) {
    const { expenses, other } = bench.installation.seeded;
    const { categoryIds, otherCategoryId } = expenses;
    const bodies = categoryIds.map((categoryId, index) => {
      const { vendor, description, amount, expenseDate } = sampleExpense(index);
      return JSON.stringify({ categoryId, vendor, description, amount: Number(amount), expenseDate });
    });
    const requests = { method: 'POST', paths: ['/api/expenses'], bodies, expected: json(201) } as const;
    const variables = { COMPANY_ID: String(other.companyId), CATEGORY_ID: String(otherCategoryId) };
    return besideBare(bench, 'createExpense', requests, variables);
  },
};
