import { besideBare, type Requests } from './apiLoad';
import type { Bench, Row } from './Row';
import { seedEvents } from '../installation/insertMany';

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

export const listInvoices: Row = {
  name: 'list',
  what: 'GET /api/invoices (10, items, total)',
  limit: { what: 'bare Koa + mysql2, list and items', atLeast: 0.6 },
  prepare: (bench) => besideBare(bench, 'listInvoices', { paths: ['/api/invoices'] }),
};

export const listExpenses: Row = {
  name: 'expense-list',
  what: 'GET /api/expenses (10, category, total)',
  limit: { what: 'bare Koa + mysql2, the same query', atLeast: 0.6 },
  prepare: (bench) => besideBare(bench, 'listExpenses', { paths: ['/api/expenses'] }),
};

const pageSize = 1_000;
const pages = 20;

export const readEvents: Row = {
  name: 'events',
  what: 'GET /api/events (1,000)',
  limit: { what: 'bare Koa + mysql2, the same query', atLeast: 0.6 },
  async prepare(bench) {
    const { seeded, services } = bench.installation;
    await seedEvents(services, seeded.companyId, pages * pageSize);
    const paths = Array.from({ length: pages }, (_, page) => `/api/events?limit=${pageSize}&after=${page * pageSize}`);
    return besideBare(bench, 'readEvents', { paths });
  },
};

/** Returns the values in a random order that is the same on every run. */
function shuffled<T>(values: readonly T[]): T[] {
  // A linear congruential generator; constants of Numerical Recipes.
  let state = 1;
  const keyed = values.map((value) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return { value, key: state };
  });
  return keyed.sort((a, b) => a.key - b.key).map(({ value }) => value);
}
