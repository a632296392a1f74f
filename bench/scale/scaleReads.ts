import { clientList } from '../../shared/clients/record';
import type { Sql } from '../../shared/engine/db';
import { readFeed } from '../../shared/engine/events';
import { expenseList } from '../../shared/expenses/record';
import { getInvoice, invoiceList } from '../../shared/invoices/record';
import { listDeliveries } from '../../shared/webhooks';
import type { Scale } from './seedScale';

/** A read, by one request or several. */
export interface ScaleRead {
  readonly what: string;
  /** Rows and entries of indexes that it examines at 1,000,000 invoices; null where that grows with what is stored. */
  readonly atMost: number | null;
  readonly read: (sql: Sql, scale: Scale) => Promise<unknown>;
}

const page = { page: 1, limit: 10, sortBy: 'createdAt', sortOrder: 'desc', status: 'all' } as const;
const day = '2025-03-01';

const invoices = (what: string, atMost: number | null, query: (scale: Scale) => object): ScaleRead => ({
  what: `invoices ${what}`,
  atMost,
  read: (sql, scale) => invoiceList.read(sql, scale.companyId, { ...page, ...query(scale) }),
});
const clients = (what: string, atMost: number, query: object): ScaleRead => ({
  what: `clients ${what}`,
  atMost,
  read: (sql, { companyId }) => clientList.read(sql, companyId, { ...page, ...query }),
});
const expenses = (what: string, atMost: number, query: object): ScaleRead => ({
  what: `expenses ${what}`,
  atMost,
  read: (sql, { companyId }) => expenseList.read(sql, companyId, { ...page, sortBy: 'expenseDate', ...query }),
});

/** A page of the same day reads its records twice: for their order, and for the total. */
export const scaleReads: readonly ScaleRead[] = [
  { what: 'one invoice', atMost: 10, read: (sql, scale) => getInvoice(sql, scale.companyId, scale.firstInvoice) },
  invoices('by default', 150, () => ({})),
  invoices('of a status', 150, () => ({ status: 'draft' })),
  invoices('with deleted ones', 200, () => ({ includeDeleted: true })),
  invoices('of a status with deleted ones', 200, () => ({ status: 'draft', includeDeleted: true })),
  invoices('of a day', 3_000, () => ({ issueDateFrom: day, issueDateTo: day })),
  invoices('due on a day', 3_000, () => ({ dueDateFrom: day, dueDateTo: day })),
  invoices('of a client', 100, ({ firstClient }) => ({ clientId: firstClient })),
  invoices('searched by the beginning of a number', null, () => ({ search: 'INV-2026-0007' })),
  invoices('searched by the end of a number', null, () => ({ search: '-00077' })),
  invoices('searched by the name of a client', null, () => ({ search: 'Sinar Jaya 303' })),
  invoices('searched by what is nowhere', null, () => ({ search: 'zzz' })),
  clients('by default', 100, {}),
  clients('with deleted ones', 150, { includeDeleted: true }),
  expenses('by default', 100, {}),
  expenses('with deleted ones', 150, { includeDeleted: true }),
  expenses('of a day', 3_000, { startDate: day, endDate: day }),
  {
    what: 'deliveries of an endpoint',
    atMost: 20_100,
    read: (sql, { companyId, endpointId }) => listDeliveries(sql, companyId, endpointId, { ...page, sortBy: 'id' }),
  },
  { what: 'the whole feed of a subject', atMost: 10, read: readWholeFeed },
];

async function readWholeFeed(sql: Sql, { companyId, firstInvoice }: Scale): Promise<void> {
  for (let after = 0, hasMore = true; hasMore;) {
    const subject = { type: 'invoice', id: firstInvoice };
    const found = await readFeed(sql, companyId, { after, limit: 100, subject });
    after = found.nextAfter;
    hasMore = found.hasMore;
  }
}
