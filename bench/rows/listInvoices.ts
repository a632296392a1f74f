import { besideBare } from './apiLoad';
import type { Row } from './Row';

export const listInvoices: Row = {
  name: 'list',
  what: 'GET /api/invoices (10, items, total)',
  limit: { what: 'bare Koa + mysql2, list and items', atLeast: 0.6 },
  prepare: (bench) => besideBare(bench, 'listInvoices', { paths: ['/api/invoices'] }),
};
