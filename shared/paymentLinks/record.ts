import type { Sql } from '../engine/db';
import {
  assigned,
  decimal,
  type LargePage,
  nullable,
  type Page,
  pageRequest,
  type PageRequest,
  presenter,
  readPage,
  type RecordSource,
  requireRecord,
  type RowOf,
  timestamp,
  value,
} from '../engine/records';
import { currency, includeDeleted, line, oneOf, pageQuery, recordId, text } from '../engine/schemas';
import type { PaymentLinkStatus } from './PaymentLink';

/** The statuses of a link in responses. `processing`: paid by a method that takes days. */
const shownStatuses = ['creating', 'open', 'processing', 'paid', 'expired', 'superseded'] as const;

/** The shown status for each stored one. A link that could not be created is shown as `expired`. */
const shownAs: Readonly<Record<PaymentLinkStatus, (typeof shownStatuses)[number]>> = {
  creating: 'creating',
  active: 'open',
  superseded: 'superseded',
  processing: 'processing',
  expired: 'expired',
  paid: 'paid',
  failed: 'expired',
};

const fields = {
  id: assigned(value(recordId)),
  provider: assigned(value(line(32))),
  /** Null until the gateway has created it. */
  url: assigned(nullable(value(text(2048)))),
  status: assigned(value(oneOf('InvoicePaymentLinkStatus', shownStatuses))),
  /** The amount that the gateway asks for. */
  amount: assigned(decimal()),
  currency: assigned(value(currency)),
  createdAt: assigned(timestamp),
  expiresAt: assigned(nullable(timestamp)),
};

/** A payment link as one statement reads it. */
export type PaymentLinkRecord = RowOf<typeof fields>;

export const presentLink = presenter(fields, { title: 'InvoicePaymentLink' });

const status = Object.entries(shownAs)
  .map(([stored, shown]) => `WHEN '${stored}' THEN '${shown}'`)
  .join(' ');

const source: RecordSource<PaymentLinkRecord> = {
  name: 'payment link',
  table: 'payment_links',
  alias: 'l',
  columns: Object.keys(fields)
    .map((name) => (name === 'status' ? `CASE l.status ${status} END AS status` : `l.${name}`))
    .join(', '),
};

/** The query parameters of the list. Ids grow with time. */
export const linksQuery = pageQuery(['id'], 'id', includeDeleted);

export type LinksRequest = PageRequest<'id'> & { includeDeleted: boolean };

/**
 * Returns a page of the links that were made for an invoice.
 * @throws {NotFound} when the invoice is absent, another company's, or deleted (unless `includeDeleted`).
 */
export async function listPaymentLinks(
  sql: Sql,
  companyId: number,
  invoiceId: number,
  { includeDeleted, ...request }: LinksRequest,
): Promise<Page<PaymentLinkRecord> | LargePage<PaymentLinkRecord>> {
  await requireRecord(sql, companyId, { name: 'invoice', table: 'invoices' }, invoiceId, { includeDeleted });
  const conditions = [{ text: 'l.invoiceId = ?', values: [invoiceId] }];
  return readPage(sql, companyId, { ...source, conditions }, pageRequest(request));
}
