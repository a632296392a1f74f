import { besideBare } from './apiLoad';
import type { Row } from './Row';
import { shuffled } from './shuffled';

export const getInvoice: Row = {
  name: 'get',
  what: 'GET /api/invoices/{id}',
  limit: { what: 'bare Koa + mysql2, two queries', atLeast: 0.6 },
  prepare(bench) {
    const paths = shuffled(bench.installation.seeded.invoiceIds).map((id) => `/api/invoices/${id}`);
    return besideBare(bench, 'getInvoice', { paths });
  },
};
