import { apiLoad, bareLoad } from './apiLoad';
import type { Row } from './Row';

export const listExpenses: Row = {
  name: 'expense-list',
  what: 'GET /api/expenses (10, category, total)',
  limit: { what: 'bare Koa + mysql2, the same query', atLeast: 0.6 },
  async prepare(bench) {
    const { databaseUrl, seeded, startServer } = bench.installation;
    const bare = await startServer('dist/bench/limits/listExpenses.js', {
      DATABASE_URL: databaseUrl,
      COMPANY_ID: String(seeded.companyId),
    });
    const paths = ['/api/expenses'];
    return { project: apiLoad(bench, { paths }), limit: bareLoad(bench, bare.url, { paths }) };
  },
};
