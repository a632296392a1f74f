import { setImmediate } from 'node:timers/promises';
import { fromSqlTime, padded, placeholders, type Sql } from '../engine/db';
import { NotFound } from '../engine/errors';
import { besideFirst, groupBy } from '../engine/records';
import { balanceOf, coveredSql } from '../balance';
import { dayIn } from '../dates/dates';
import type { Period } from '../details';
import { parseDecimal } from '../money/money';
import { pageAddress, pageToken } from '../hostedPages';
import { isProcessingSql, openLinkUrl, payableOnline } from '../paymentLinks';
import {
  buildInvoiceDocument,
  documentKey,
  type InvoiceDocument,
  isLongPrint,
  type PrintedDetails,
} from '../documents';
import {
  foldInvoices,
  invoiceKind,
  invoiceRules,
  type InvoiceRecord,
  type Parties,
  partiesOf,
  printedDetails,
  statusWhenSent,
} from '../invoices';
import type { Services } from '../services';

export interface LoadedDocument {
  invoice: InvoiceRecord;
  /** The credit note of the invoice that the document is of; null where it is the invoice itself. */
  creditNoteId: number | null;
  document: InvoiceDocument;
  /** The key under which the document's rendering is stored. */
  key: string;
  /** Takes long to print. */
  isLong: boolean;
  /** Sender and client as the document shows them: frozen, or for a draft the current ones. */
  parties: Parties;
  /** A payment by a method that takes days is on its way. */
  isProcessing: boolean;
  /** The token of the invoice's page; null until it is first used. */
  pageToken: string | null;
  /** Company and client as they are now. */
  current: {
    companyName: string;
    companyEmail: string | null;
    clientName: string;
    clientEmail: string | null;
    gatewayProvider: string | null;
  };
}

/** Needed to load a document. The configuration names the gateway of companies that have chosen none. */
export type DocumentServices = Pick<Services, 'sql' | 'config'>;

interface LoadOptions {
  asSent?: boolean;
  includeDeleted?: boolean;
}

interface ShownColumns {
  frozenParties: string | null;
  companyName: string;
  companyEmail: string | null;
  companyPhone: string | null;
  companyAddress: string | null;
  companyTaxId: string | null;
  companyLocale: string;
  logoKey: string | null;
  brandColor: string | null;
  paymentInstructions: string | null;
  clientPhone: string | null;
  clientAddress: string | null;
  clientTaxId: string | null;
  clientLocale: string | null;
  gatewayProvider: string | null;
  timezone: string;
  covered: string;
  credited: string;
  paymentUrl: string | null;
  isProcessing: 0 | 1;
  pageToken: string | null;
}

type Details = Record<(typeof printedDetails)[number], string | null>;
/** A row of the statement below: an item, and beside the invoice's first item what is shown with it, beside others NULL. */
type Row = ShownColumns & Details & { id: number; item_position: number };

const shown: Readonly<Record<keyof ShownColumns, string>> = {
  frozenParties: 'i.frozenParties',
  companyName: 'o.name',
  companyEmail: 'o.email',
  companyPhone: 'o.phone',
  companyAddress: 'o.address',
  companyTaxId: 'o.taxId',
  companyLocale: 'o.locale',
  logoKey: 'o.logoKey',
  brandColor: 'o.brandColor',
  paymentInstructions: 'o.paymentInstructions',
  clientPhone: 'c.phone',
  clientAddress: 'c.address',
  clientTaxId: 'c.taxId',
  clientLocale: 'c.locale',
  gatewayProvider: 'o.gatewayProvider',
  timezone: 'o.timezone',
  covered: coveredSql,
  credited: 'i.credited',
  paymentUrl: openLinkUrl,
  isProcessing: isProcessingSql,
  pageToken,
};
const { joins = '' } = invoiceKind;
const ofFirst = [...Object.entries(shown), ...printedDetails.map((name) => [name, `n.${name}`] as const)];
const columns = [invoiceKind.columns, ...ofFirst.map(([name, column]) => besideFirst(column, name))].join(', ');

/** The invoice with its sender and client, in one statement: what is shown together is read together. */
const documentsOf = (from: string, where: string): string => `SELECT ${columns}
  FROM ${from} JOIN companies o ON o.id = i.companyId ${joins}
    LEFT JOIN invoice_details n ON n.companyId = i.companyId AND n.invoiceId = i.id WHERE ${where}`;
const documentsOfIds = (count: number): string =>
  documentsOf('invoices i FORCE INDEX (PRIMARY)', `i.companyId = ? AND i.id IN (${placeholders(count)})`);
const documentOfPage = documentsOf(
  'hosted_pages h STRAIGHT_JOIN invoices i ON i.companyId = h.companyId AND i.id = h.invoiceId',
  'h.selector = ?',
);

/**
 * Loads the invoice as its reader sees it. `asSent` shows a draft as it will look once it is sent, without the draft stamp.
 * @throws {NotFound} when absent, another company's, or deleted (unless `includeDeleted`).
 */
export async function loadInvoiceDocument(
  services: DocumentServices,
  companyId: number,
  invoiceId: number,
  options: LoadOptions = {},
): Promise<LoadedDocument> {
  const [loaded] = await loadInvoiceDocuments(services, companyId, [invoiceId], options);
  if (loaded === undefined || loaded === null) throw new NotFound('invoice');
  return loaded;
}

/** A thousand items take the event loop 10 to 20 ms: other work runs between two documents. */
const MANY_ITEMS = 500;

/** Loads invoices of a company by one statement, each as {@link loadInvoiceDocument}; null for one that is not found. */
export async function loadInvoiceDocuments(
  services: DocumentServices,
  companyId: number,
  invoiceIds: readonly number[],
  options: LoadOptions = {},
): Promise<(LoadedDocument | null)[]> {
  const ids = padded(invoiceIds);
  const rows = await services.sql.rows<Row>(documentsOfIds(ids.length), [companyId, ...ids]);
  const byId = groupBy(rows, ({ id }) => id);
  const load = (id: number): Promise<LoadedDocument | null> => documentOf(services, byId.get(id) ?? [], options);
  if (rows.length < MANY_ITEMS) return Promise.all(invoiceIds.map(load));
  const loaded: (LoadedDocument | null)[] = [];
  for (const id of invoiceIds) {
    if (loaded.length > 0) await setImmediate();
    loaded.push(await load(id));
  }
  return loaded;
}

/** Loads the invoice of a hosted page; null where the token opens none, or the invoice is deleted. */
export async function loadPageDocument(services: DocumentServices, token: string): Promise<LoadedDocument | null> {
  const address = pageAddress(token);
  if (address === null) return null;
  const rows = await services.sql.rows<Row>(documentOfPage, [address.selector]);
  const opened = rows.find(({ pageToken }) => pageToken !== null && address.opens(pageToken))?.id;
  return documentOf(
    services,
    rows.filter(({ id }) => id === opened),
  );
}

/** @param rows of one invoice, one for each item. Returns null for none, and for a deleted invoice, unless `includeDeleted`. */
async function documentOf(
  { sql, config }: DocumentServices,
  rows: readonly Row[],
  { asSent = false, includeDeleted = false }: LoadOptions = {},
): Promise<LoadedDocument | null> {
  const row = rows.find(({ item_position: position }) => position === 0);
  const [invoice] = foldInvoices(rows);
  if (row === undefined || invoice === undefined || (invoice.softDelete === 1 && !includeDeleted)) return null;
  const parties =
    row.frozenParties === null ? currentParties(row, invoice) : (JSON.parse(row.frozenParties) as Parties);
  const covered = parseDecimal(row.covered);
  const { credited } = row;
  // Field by field: copying the whole record takes longer than all else here.
  const { invoiceNumber, issueDate, dueDate, currency, subtotal, taxRate, tax, total, notes, items } = invoice;
  const { due } = balanceOf({ total, credited, currency }, covered);
  const { canBePaid } = invoiceRules[invoice.status];
  const provider = row.gatewayProvider ?? config.gateway.provider;
  const { purchaseOrder, buyerReference, servicePeriod: period, paymentTerms } = row;
  const servicePeriod = period === null ? null : (JSON.parse(period) as Period);
  const details: PrintedDetails = { purchaseOrder, buyerReference, servicePeriod, paymentTerms };
  const document = buildInvoiceDocument({
    invoiceNumber,
    issueDate,
    dueDate,
    currency,
    subtotal,
    taxRate,
    tax,
    total,
    notes,
    items,
    ...parties,
    status: asSent ? statusWhenSent(invoice.status) : invoice.status,
    payments: covered === 0n ? [] : await paymentsOf(sql, invoice, row.timezone),
    credited,
    due,
    paidOn: invoice.paidAt === null ? null : dayIn(row.timezone, fromSqlTime(invoice.paidAt)),
    paymentUrl: canBePaid ? row.paymentUrl : null,
    payableOnline: canBePaid ? payableOnline(provider, due, currency) : null,
    details,
    paymentInstructions: canBePaid && parseDecimal(due) > 0n ? (parties.paymentInstructions ?? null) : null,
  });
  let key: string | undefined;
  const { companyName, companyEmail, gatewayProvider, pageToken: token } = row;
  const { clientName, clientEmail } = invoice;
  const current = { companyName, companyEmail, clientName, clientEmail, gatewayProvider };
  return {
    ...{ invoice, creditNoteId: null, document, parties, current },
    // Of what is printed alone: a page needs neither.
    get key() {
      return (key ??= documentKey(document));
    },
    get isLong() {
      return isLongPrint(document);
    },
    isProcessing: row.isProcessing === 1,
    pageToken: token,
  };
}

/** The payments that count, as the document shows them: what each covers of the total. */
async function paymentsOf(
  sql: Sql,
  { companyId, id, currency }: InvoiceRecord,
  timezone: string,
): Promise<{ day: string; amount: string }[]> {
  const rows = await sql.rows<{ settles: string; paidAt: string }>(
    `SELECT settles, paidAt FROM payments FORCE INDEX (payments_by_invoice)
      WHERE companyId = ? AND invoiceId = ? AND currency = ? AND voidedAt IS NULL ORDER BY paidAt, id`,
    [companyId, id, currency],
  );
  return rows.map(({ settles, paidAt }) => ({ day: dayIn(timezone, fromSqlTime(paidAt)), amount: settles }));
}

function currentParties(row: ShownColumns, { clientName, clientEmail }: InvoiceRecord): Parties {
  const company = {
    name: row.companyName,
    email: row.companyEmail,
    phone: row.companyPhone,
    address: row.companyAddress,
    taxId: row.companyTaxId,
    locale: row.companyLocale,
    logoKey: row.logoKey,
    brandColor: row.brandColor,
    paymentInstructions: row.paymentInstructions,
  };
  const client = {
    name: clientName,
    email: clientEmail,
    phone: row.clientPhone,
    address: row.clientAddress,
    taxId: row.clientTaxId,
    locale: row.clientLocale,
  };
  return partiesOf(company, client);
}

/**
 * Returns a version that changes whenever the document may have changed, by one cheap read; the rendering's key is cached under
 * it. Null when there is no such invoice.
 */
export async function documentVersion(
  sql: Sql,
  companyId: number,
  invoiceId: number,
): Promise<{ invoiceNumber: string; version: string } | null> {
  const [row] = await sql.rows<
    Record<'invoiceNumber' | 'invoice' | 'client' | 'company', string> & Record<'link' | 'payment', string | null>
  >(
    `SELECT i.invoiceNumber, i.updatedAt AS invoice, c.updatedAt AS client, o.updatedAt AS company,
        (SELECT MAX(l.updatedAt) FROM payment_links l WHERE l.companyId = i.companyId AND l.invoiceId = i.id) AS link,
        (SELECT MAX(p.updatedAt) FROM payments p WHERE p.companyId = i.companyId AND p.invoiceId = i.id) AS payment
       FROM invoices i JOIN companies o ON o.id = i.companyId
       JOIN clients c ON c.companyId = i.companyId AND c.id = i.clientId
      WHERE i.companyId = ? AND i.id = ? AND i.softDelete = 0`,
    [companyId, invoiceId],
  );
  if (row === undefined) return null;
  const { invoiceNumber, invoice, client, company, link, payment } = row;
  const version = [companyId, invoiceId, invoice, client, company, link ?? '', payment ?? ''].join('|');
  return { invoiceNumber, version };
}
