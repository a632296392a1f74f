import { apiLoad, bareLoad } from './apiLoad';
import type { Row } from './Row';
import { shuffled } from './shuffled';

export const getInvoice: Row = {
  name: 'get',
  what: 'GET /api/invoices/{id}',
  limit: { what: 'bare Koa + mysql2, two queries', atLeast: 0.6 },
  async prepare(bench) {
    const { databaseUrl, seeded, startServer } = bench.installation;
    const bare = await startServer('dist/bench/limits/getInvoice.js', {
      DATABASE_URL: databaseUrl,
      COMPANY_ID: String(seeded.companyId),
    });
    const paths = shuffled(seeded.invoiceIds).map((id) => `/api/invoices/${id}`);
    return { project: apiLoad(bench, { paths }), limit: bareLoad(bench, bare.url, { paths }) };
  },
};
