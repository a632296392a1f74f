import { besideBare, type Requests } from './apiLoad';
import type { Bench, Row } from './Row';
import { shuffled } from './shuffled';

export const getInvoice: Row = {
  name: 'get',
  what: 'GET /api/invoices/{id}',
  limit: { what: 'bare Koa + mysql2, two queries', atLeast: 0.6 },
  prepare(bench) {
    return besideBare(bench, 'getInvoice', reads(bench));
  },
};

/** All invoices, one by one in a random order. */
export function reads({ installation }: Bench): Requests {
  return { paths: shuffled(installation.seeded.invoiceIds).map((id) => `/api/invoices/${id}`) };
}
