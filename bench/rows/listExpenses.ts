import { besideBare } from './apiLoad';
import type { Row } from './Row';

export const listExpenses: Row = {
  name: 'expense-list',
  what: 'GET /api/expenses (10, category, total)',
  limit: { what: 'bare Koa + mysql2, the same query', atLeast: 0.6 },
  prepare: (bench) => besideBare(bench, 'listExpenses', { paths: ['/api/expenses'] }),
};
