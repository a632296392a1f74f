import { apiLoad } from './apiLoad';
import type { Row } from './Row';

export const listPaidInvoices: Row = {
  name: 'list-status',
  what: 'GET /api/invoices?status=paid',
  limit: null,
  prepare: (bench) =>
    Promise.resolve({ project: apiLoad(bench, { paths: ['/api/invoices?status=paid'] }), limit: null }),
};

export const searchInvoices: Row = {
  name: 'search',
  what: 'GET /api/invoices?search=… (name, number)',
  limit: null,
  prepare(bench) {
    const paths = ['Lagoon', 'sinar jaya 3', '00042', 'Fjord Engineering 104', 'nothing like it'].map(
      (text) => `/api/invoices?search=${encodeURIComponent(text)}`,
    );
    return Promise.resolve({ project: apiLoad(bench, { paths }), limit: null });
  },
};
