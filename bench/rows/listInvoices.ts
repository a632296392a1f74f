import { apiLoad, bareLoad } from './apiLoad';
import type { Row } from './Row';

export const listInvoices: Row = {
  name: 'list',
  what: 'GET /api/invoices (10, items, total)',
  limit: { what: 'bare Koa + mysql2, list and items', atLeast: 0.6 },
  async prepare(bench) {
    const { databaseUrl, seeded, startServer } = bench.installation;
    const bare = await startServer('dist/bench/limits/listInvoices.js', {
      DATABASE_URL: databaseUrl,
      COMPANY_ID: String(seeded.companyId),
    });
    const paths = ['/api/invoices'];
    return { project: apiLoad(bench, { paths }), limit: bareLoad(bench, bare.url, { paths }) };
  },
};
